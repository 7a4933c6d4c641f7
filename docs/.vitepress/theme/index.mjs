// The default theme; diagrams are drawn in the browser, on the pages that have some.

import { useData, useRoute } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'
import './style.css'

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute()
    const { isDark } = useData()
    const draw = async () => {
      await nextTick()
      const diagrams = [...document.querySelectorAll('pre.mermaid')]
      if (diagrams.length === 0) return
      for (const diagram of diagrams) {
        diagram.dataset.source ??= diagram.textContent
        diagram.textContent = diagram.dataset.source
        delete diagram.dataset.processed
      }
      const { default: mermaid } = await import('mermaid')
      mermaid.initialize({
        startOnLoad: false,
        theme: isDark.value ? 'dark' : 'neutral',
        securityLevel: 'strict',
      })
      await mermaid.run({ nodes: diagrams })
    }
    onMounted(draw)
    watch([() => route.path, isDark], draw)
  },
}

// The documentation site: npm run docs. The pages are the Markdown files of docs/, which can also be read in the repository.

import { readdirSync } from 'node:fs'

const REPOSITORY = 'https://github.com/holdfast-hooks/holdfast'

const page = (text, link) => ({ text, link })
const events = readdirSync(new URL('../reference/events', import.meta.url))
  .map(name => name.replace(/\.md$/, ''))
  .map(name => page(name, `/reference/events/${name}`))

export default {
  title: 'Holdfast',
  description:
    'One gate for every coding agent: hooks that observe, block, ask about or change what agents do.',
  cleanUrls: true,
  // Addresses of examples, such as an OTLP receiver on this machine, are not links of the site.
  ignoreDeadLinks: 'localhostLinks',
  lastUpdated: true,
  rewrites: { ':folder(.*)/README.md': ':folder/index.md' },
  markdown: {
    config(markdown) {
      const { fence } = markdown.renderer.rules
      markdown.renderer.rules.fence = (tokens, index, ...rest) => {
        const { info, content } = tokens[index]
        if (info.trim() === 'mermaid')
          return `<pre class="mermaid">${markdown.utils.escapeHtml(content)}</pre>`
        // Words after the language mark blocks for the tests.
        tokens[index].info = info.split(' ')[0]
        return fence(tokens, index, ...rest)
      }
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
    nav: [
      page('Guides', '/guide/'),
      page('Concepts', '/concepts/'),
      page('Reference', '/reference/'),
      page('Benchmarks', '/benchmarks'),
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          page('Install', '/guide/install'),
          page('Tutorial', '/guide/tutorial'),
          page('Ready-made guards', '/guide/guards'),
          page('A first hook', '/guide/first-hook'),
          page('Use it in your agent', '/guide/agents'),
          page('Answers in milliseconds', '/guide/warm'),
          page('Concepts', '/concepts/'),
          page('Glossary', '/concepts/glossary'),
          page('Comparison', '/concepts/comparison'),
          page('Standards', '/concepts/standards'),
          page('Threat model', '/concepts/threats'),
          page('Questions', '/guide/faq'),
          page('Upgrade and uninstall', '/guide/upgrade'),
        ],
      },
      {
        text: 'Write hooks',
        items: [
          page('How to', '/guide/how-to'),
          page('TypeScript', '/guide/typescript'),
          page('Python', '/guide/python'),
          page('Servers and background', '/guide/http'),
          page('Test', '/guide/test'),
          page('Find out why', '/guide/debug'),
          page('Troubleshooting', '/guide/troubleshooting'),
          page('Migrate', '/guide/migrate'),
          page('Versions', '/guide/versions'),
          page('The panel', '/guide/ui'),
        ],
      },
      {
        text: 'Build agents',
        items: [
          page('Embed the engine', '/guide/embed'),
          page('AI SDK', '/guide/agent'),
          page('MCP gateway', '/guide/mcp'),
        ],
      },
      {
        text: 'Run a team',
        items: [
          page('Team hooks', '/guide/team'),
          page('The dashboard', '/guide/dashboard'),
          page('Production', '/guide/team-production'),
          page('Keys', '/guide/team-keys'),
          page('Threats', '/guide/team-threats'),
        ],
      },
      {
        text: 'Reference',
        collapsed: true,
        items: [
          page('hooks.json', '/reference/hooks-json'),
          page('Commands', '/reference/cli'),
          page('Agents', '/reference/agents'),
          page('Tool input', '/reference/tools'),
          page('Merging', '/reference/merging'),
          page('Failures', '/reference/failures'),
          page('Environment', '/reference/environment'),
          page('Codes', '/reference/codes'),
          page('Profiles', '/reference/profiles'),
          page('Limits', '/reference/limits'),
          page('HTTP API', '/reference/http'),
          { text: 'Events', collapsed: true, items: events },
        ],
      },
    ],
  },
}

import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// One application, two homes: each begins with a page of its own and loads only what it needs.
export default defineConfig({
  root: at('.'),
  plugins: [react()],
  resolve: {
    alias: {
      '@holdfast/hooks/protocol': at('../hooks/src/protocol/index.ts'),
      '@holdfast/team/messages': at('../team/src/messages.ts'),
    },
  },
  // The server writes the real one into every answer.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: at('./dist/pages'),
    emptyOutDir: true,
    target: 'es2022',
    // Fonts and pictures must be files: the policy allows no data: but for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: { input: { panel: at('./panel.html'), team: at('./team.html') } },
  },
})

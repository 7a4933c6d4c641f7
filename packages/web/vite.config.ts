import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
// @ts-expect-error It has no types.
import { noticesOf } from '../../scripts/notices.mjs'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Colours and fonts under a stable name, for the pages that the team server renders. */
const tokens = (): Plugin => ({
  name: 'tokens',
  enforce: 'post',
  generateBundle(_, bundle) {
    const named = (font: string) =>
      Object.keys(bundle).find(name => name.includes(font) && name.endsWith('.woff2'))
    const source = readFileSync(at('./src/styles/tokens.css'), 'utf8').replace(
      /url\("[^"]*\/([\w-]+)\.woff2"\)/g,
      (_, font: string) => `url("/${named(font)}")`,
    )
    this.emitFile({ type: 'asset', fileName: 'tokens.css', source })
  },
})

/** The licences of the libraries, as a served file. */
const notices = (): Plugin => ({
  name: 'notices',
  generateBundle(_, bundle) {
    const inputs = Object.values(bundle).flatMap(file =>
      // Assets such as fonts have the file that they come from.
      file.type === 'chunk' ? file.moduleIds : file.originalFileNames.map(name => at(`./${name}`)),
    )
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-NOTICES.txt', source: noticesOf(inputs) })
  },
})

// Two apps from one source: each has its own entry page and loads only its own code.
export default defineConfig({
  root: at('.'),
  plugins: [react(), tokens(), notices()],
  resolve: {
    alias: {
      '@holdfast/team/messages': at('../team/src/messages.ts'),
    },
  },
  // The server replaces it in every response.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: at('./dist/pages'),
    emptyOutDir: true,
    target: 'es2022',
    // The first versions with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // Fonts and pictures must be files: the policy allows no data: but for pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      input: { panel: at('./panel.html'), team: at('./team.html') },
      // Shared code of several pages is one file: thirty small files cost more in headers than in content.
      output: {
        codeSplitting: {
          // Otherwise a group takes the imports of its modules along, also those that few pages need.
          includeDependenciesRecursively: false,
          groups: [
            {
              name: 'base',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack|@connectrpc|@bufbuild|lucide-react)\//,
              minShareCount: 2,
              priority: 3,
            },
            {
              name: 'shell',
              test: /src\/(shell\/(?!palette|help)|words|parts\/(states|button|notice|box))/,
              minShareCount: 2,
              priority: 2,
            },
            {
              name: 'rows',
              test: /src\/parts\/(rows|feed|looked-at|waiting|announce|cells|two-lines)/,
              minShareCount: 2,
              priority: 2,
            },
            {
              name: 'parts',
              test: /src\/parts\/(page|tabs|when|facts|badge|verdict|fields|confirm|copy|table)/,
              minShareCount: 3,
              priority: 1,
            },
          ],
        },
      },
    },
  },
})

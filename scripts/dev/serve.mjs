// One app from source, with hot reload. All requests that are not for its source go to a real server.

import { join } from 'node:path'
import { createServer } from 'vite'
import { isPageOf } from '../../packages/web/dist/serve.js'
import { root } from '../steps.mjs'

const WEB = join(root, 'packages/web')
/** Addresses of Vite: its client, sources, and the files of packages/web/public. */
const OF_VITE = '@|src/|node_modules/|\\.\\./|theme\\.js$|icon\\.svg$|[a-z]+\\.html$'

/** @param {'panel' | 'team'} app */
export async function serveFromSource(app, target) {
  const vite = await createServer({
    configFile: join(WEB, 'vite.config.ts'),
    cacheDir: join(root, `node_modules/.cache/holdfast/vite-${app}`),
    logLevel: 'warn',
    clearScreen: false,
    // Each app has its own entry; the other one would only slow down the start.
    optimizeDeps: { entries: [`${app}.html`] },
    server: {
      host: '127.0.0.1',
      port: app === 'team' ? 5173 : 5174,
      fs: { allow: [root] },
      proxy: {
        [`^/(?!${OF_VITE})`]: {
          target,
          // The server accepts requests to its own address only, and redirects to it.
          changeOrigin: true,
          autoRewrite: true,
          headers: { origin: target },
          bypass: request => (isPageOf(app, request) ? `/${app}.html` : undefined),
        },
      },
    },
  })
  await vite.listen()
  const { port } = vite.httpServer.address()
  return { url: `http://127.0.0.1:${port}`, stop: () => vite.close() }
}

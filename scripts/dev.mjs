// npm run dev: both apps from source, with hot reload, before the real server, panel and agent of the demonstration.

import { join } from 'node:path'
import { build } from './build.mjs'
import { takeFolder } from './demo/running.mjs'
import { install, main, root, step } from './steps.mjs'

await main(async () => {
  const folder = join(root, '.demo')
  // A build must not change the files of a running demonstration.
  takeFolder(folder)
  await install()
  await build()
  // These use the build output.
  const { startDemo, stopSignal } = await import('./demo/demo.mjs')
  const { serveFromSource } = await import('./dev/serve.mjs')
  const stopped = stopSignal()
  const demo = await startDemo(folder)
  const apps = []
  try {
    await step('serving both apps from source', async () => {
      apps.push(await serveFromSource('team', demo.server.url))
      apps.push(await serveFromSource('panel', new URL(demo.link).origin))
    })
    const [team, panel] = apps
    process.stdout.write(`
  The team's dashboard   ${team.url}   (sign-in: see npm start)
  The Hooks panel        ${panel.url}/${new URL(demo.link).hash}
                         works once, within a minute; press Enter for another

  A saved file of packages/web/src appears at once. Other packages need a restart. Ctrl-C stops everything.

`)
    if (process.stdin.isTTY)
      process.stdin.on('data', async () => {
        const { link } = await demo.newLink()
        process.stdout.write(`  ${panel.url}/${new URL(link).hash}\n`)
      })
    await stopped
    process.stdin.pause()
  } finally {
    for (const app of apps) await app.stop()
    await demo.stop()
  }
})

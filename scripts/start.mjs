// Sets everything up, then runs the whole product on this machine until Ctrl-C.

import { build } from './build.mjs'
import { install, main } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: set-up, then the whole product on this machine\n')
  await install()
  await build()
  const { startDemo, words } = await import('./demo/demo.mjs')
  const stopped = new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, resolve)
  })
  const demo = await startDemo()
  process.stdout.write(words(demo, process.stdin.isTTY === true))
  if (process.stdin.isTTY) {
    process.stdin.on('data', async () => {
      const { link } = await demo.newLink()
      process.stdout.write(`  ${link}\n`)
    })
  }
  await stopped
  process.stdin.pause()
  process.stdout.write('\n  Stopping … ')
  await demo.stop()
  process.stdout.write('done. Everything is kept in .demo.\n')
})

// Installs and builds, then runs the complete product on this machine until Ctrl-C.

import { join } from 'node:path'
import { build } from './build.mjs'
import { takeFolder } from './demo/running.mjs'
import { install, main, root } from './steps.mjs'

await main(async () => {
  const demo = join(root, '.demo')
  // Before anything is built under a running one.
  takeFolder(demo)
  process.stdout.write('Holdfast: set-up, then the complete product on this machine\n')
  await install()
  await build()
  // Imported late: it uses what was built.
  const { runDemo } = await import('./demo/demo.mjs')
  await runDemo(demo)
})

// Installs and builds, then runs the complete product on this machine until Ctrl-C.

import { join } from 'node:path'
import { build } from './build.mjs'
import { takeFolder } from './demo/running.mjs'
import { install, main, root } from './steps.mjs'

await main(async () => {
  const demo = join(root, '.demo')
  // Before a build changes files under a running demonstration.
  takeFolder(demo)
  process.stdout.write('Holdfast: set-up, then the complete product on this machine\n')
  await install()
  await build()
  // Imported late: it uses the build output.
  const { runDemo } = await import('./demo/demo.mjs')
  await runDemo(demo)
})

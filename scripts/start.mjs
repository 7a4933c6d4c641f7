// Sets everything up, then runs the whole product on this machine until Ctrl-C.

import { join } from 'node:path'
import { build } from './build.mjs'
import { install, main, root } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: set-up, then the whole product on this machine\n')
  await install()
  await build()
  // Only now: it stands on what was built.
  const { runDemo } = await import('./demo/demo.mjs')
  await runDemo(join(root, '.demo'))
})

// Before a package is packed, in its folder: build it, and put the licence and the notices of bundled code beside it.
// npm removes nothing afterwards, so these files are ignored by git.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { install, main, root } from './steps.mjs'

await main(async () => {
  await install()
  await build()
  copyFileSync(join(root, 'LICENSE'), join(process.cwd(), 'LICENSE'))
})

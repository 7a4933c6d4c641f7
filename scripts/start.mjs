// Sets everything up, then shows the engine at work.

import { build } from './build.mjs'
import { install, main, run } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: set-up, then a short tour\n')
  await install()
  await build()
  await run(process.execPath, ['examples/tour/tour.mjs'])
})

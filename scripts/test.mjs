// Sets everything up, then runs every check and test.

import { build } from './build.mjs'
import { check } from './check.mjs'
import { bin, install, main, run } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: checks and tests\n')
  await install()
  await build()
  await check()
  process.stdout.write('  tests\n')
  const rest = process.argv.slice(2)
  // The certificates that some machines add make every Node start slower; the tests start many.
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...rest], {
    env: { NODE_EXTRA_CA_CERTS: '' },
  })
})

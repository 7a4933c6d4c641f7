// Sets everything up, then runs every check and test.

import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { build } from './build.mjs'
import { check } from './check.mjs'
import { bin, install, main, run } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: checks and tests\n')
  await install()
  await build()
  await check()
  process.stdout.write('  tests, some minutes\n')
  const rest = process.argv.slice(2)
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...rest], {
    // The certificates that some machines add make every Node start slower; the tests start many.
    env: { NODE_EXTRA_CA_CERTS: '', PATH: withPython(process.env.PATH ?? '') },
  })
})

/** What is found as python3 may be a script that looks for the real one at each of a thousand starts. */
function withPython(path) {
  const { status, stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], {
    encoding: 'utf8',
  })
  return status === 0 && stdout.trim() ? dirname(stdout.trim()) + delimiter + path : path
}

// Format, lint, types and architecture. `npm test` runs the first three; the architecture tests are among its tests.

import { typecheck } from './build.mjs'
import { bin, install, main, run, step, stepUnlessUnchanged } from './steps.mjs'

export async function check() {
  const all = { inputs: ['.'] }
  await stepUnlessUnchanged('format and lint', all, () =>
    run(process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'], {
      quiet: true,
    }),
  )
  await stepUnlessUnchanged('types', all, () => typecheck(['.', 'packages/web', 'tests/web']))
}

if (process.argv[1]?.endsWith('check.mjs')) {
  await main(async () => {
    await install()
    await check()
    await step('architecture', () =>
      run(process.execPath, [bin('vitest/vitest.mjs'), 'run', 'tests/architecture'], { quiet: true }),
    )
  })
}

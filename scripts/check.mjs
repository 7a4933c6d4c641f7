// Format, lint, language, types and architecture. `npm test` runs all but the last, which is among its tests.

import { typecheck } from './build.mjs'
import { bin, install, main, run, step, stepUnlessUnchanged } from './steps.mjs'

export async function check() {
  const all = { inputs: ['.'] }
  await stepUnlessUnchanged('format and lint', all, () =>
    run(process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'], {
      quiet: true,
    }),
  )
  await stepUnlessUnchanged('language', all, async () => {
    // Loaded late: it imports packages, and this file is loaded before they are installed.
    const { reportProse } = await import('./check-prose.mjs')
    await reportProse()
  })
  await stepUnlessUnchanged('types', all, () =>
    typecheck(['.', 'packages/web', 'packages/web/src/panel', 'packages/web/src/team', 'tests/web']),
  )
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

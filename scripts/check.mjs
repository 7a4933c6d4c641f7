// Format, lint, types, architecture: what must hold before a test is worth running.

import { bin, install, main, run, step } from './steps.mjs'

export async function check() {
  await step('format and lint', () =>
    run(process.execPath, [bin('@biomejs/biome/bin/biome'), 'check', '--error-on-warnings', '.'], {
      quiet: true,
    }),
  )
  await step('types', async () => {
    for (const project of ['.', 'packages/web', 'tests/web'])
      await run(process.execPath, [bin('typescript/bin/tsc'), '-p', project], { quiet: true })
  })
  await step('architecture', () =>
    run(process.execPath, [bin('vitest/vitest.mjs'), 'run', 'tests/architecture'], { quiet: true }),
  )
}

if (process.argv[1]?.endsWith('check.mjs')) {
  await main(async () => {
    await install()
    await check()
  })
}

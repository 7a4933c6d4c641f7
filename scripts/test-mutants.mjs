// npm run test:mutants: plants small bugs in the code, one at a time, and reports those that no test notices.
//
//   npm run test:mutants                                        the security-critical folders; takes hours
//   npm run test:mutants -- packages/hooks/src/decide/*.ts      these files; some seconds for each change
//
// StrykerJS is installed on demand and not saved to package.json, as nothing else needs it.

import { existsSync } from 'node:fs'
import { build } from './build.mjs'
import { bin, install, installOnDemand, main, run } from './steps.mjs'

const STRYKER = ['@stryker-mutator/core@9.6.1', '@stryker-mutator/vitest-runner@9.6.1']

await main(async () => {
  const files = process.argv.slice(2)
  const missing = files.find(file => !existsSync(file))
  if (missing)
    throw new Error(
      `There is no file ${missing}. Name source files, such as packages/hooks/src/decide/decide.ts.`,
    )
  process.stdout.write('Holdfast: mutants\n')
  await install()
  await build()
  await installOnDemand('StrykerJS', STRYKER)
  const only = files.length > 0 ? ['--mutate', files.join(',')] : []
  await run(process.execPath, [bin('@stryker-mutator/core/bin/stryker.js'), 'run', ...only], {
    env: { NODE_EXTRA_CA_CERTS: '' },
  })
})

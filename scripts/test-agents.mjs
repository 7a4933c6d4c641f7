// The bridges in the agents' real programs, which are installed on demand. "npm run test:agents -- codex" for one.

import { build } from './build.mjs'
import { bin, install, main, run } from './steps.mjs'

await main(async () => {
  process.stdout.write('Holdfast: proofs with real agents\n')
  await install()
  await build()
  const names = process.argv.slice(2)
  const only = names.length > 0 ? ['-t', `(${names.join('|')})`] : []
  const config = ['--config', 'tests/agents/vitest.config.ts']
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...config, ...only], {
    env: { NODE_EXTRA_CA_CERTS: '' },
  })
})

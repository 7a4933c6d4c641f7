// Runs the bridges in the agents' real programs, which are installed on demand. "npm run test:agents -- codex" runs
// one.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { bin, install, main, root, run } from './steps.mjs'

await main(async () => {
  const names = process.argv.slice(2)
  const known = agents()
  const unknown = names.find(name => !known.includes(name))
  if (unknown) throw new Error(`There is no proof with "${unknown}". There are: ${known.join(', ')}.`)
  process.stdout.write('Holdfast: proofs with real agents\n')
  await install()
  await build()
  const only = names.length > 0 ? ['-t', `(${names.join('|')})`] : []
  const config = ['--config', 'tests/agents/vitest.config.ts']
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...config, ...only], {
    // The agents are installed with the certificates of this machine, and run without them.
    env: { NODE_EXTRA_CA_CERTS: '', HOLDFAST_TEST_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '' },
  })
})

/** Each agent has its own test file. */
function agents() {
  const text = readFileSync(join(root, 'tests/agents/drivers.ts'), 'utf8')
  const files = [...text.matchAll(/from '\.\/([\w-]+)\.js'/g)].map(([, file]) => file)
  return files.filter(file => file !== 'driver')
}

// Takes the pictures of the README: the browser tests write them, and this script copies them into docs/pictures.

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { bin, install, main, root, run } from './steps.mjs'

const PICTURES = {
  'session.png': ['sessions.test.ts', 'panel-session-run-dark-1440.png'],
  'run.png': ['runs.test.ts', 'panel-run-light-1440.png'],
  'overview.png': ['overview.test.ts', 'team-overview-light-1440.png'],
  'what-if.png': ['team-hooks-publish.test.ts', 'team-hook-what-if-light-1440.png'],
}

await main(async () => {
  await install()
  await build()
  const tests = Object.values(PICTURES).map(([test]) => join('tests/web', test))
  await run(process.execPath, [bin('vitest/vitest.mjs'), 'run', ...tests], {
    env: { NODE_EXTRA_CA_CERTS: '', HOLDFAST_NEEDS_CHROMIUM: '1', HOLDFAST_TEST_ALL: '1' },
  })
  mkdirSync(join(root, 'docs/pictures'), { recursive: true })
  for (const [name, [, taken]] of Object.entries(PICTURES))
    copyFileSync(join(root, 'artefacts/pages', taken), join(root, 'docs/pictures', name))
})

// The first thing that a newcomer runs must work.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { itInAll } from '../scope.js'

const run = promisify(execFile)
const tour = fileURLToPath(new URL('../../examples/tour/tour.mjs', import.meta.url))

it('the tour runs on the built packages and shows one verdict of each kind', async () => {
  const { stdout, stderr } = await run(process.execPath, [tour])
  expect(stderr).toBe('')
  for (const words of ['DENIED', 'failed open', '{"command":"npm ci"}', 'TOUR-7', 'threw', 'is reached']) {
    expect(stdout).toContain(words)
  }
})

itInAll('the tour lets a real agent work under its hooks', async () => {
  const { stdout } = await run(process.execPath, [tour])
  const agent = stdout.slice(stdout.indexOf('An agent works under these hooks'))
  for (const words of [
    'calls   Read .env\n      stopped   File reading was blocked',
    'calls   Shell npm install\n      ran       npm ci\n',
    'stopped   The terminal command was rejected by a hook: Push to a branch',
    'asked     This leaves your machine (TOUR-7). Go on? yes',
    'gets    The tests still fail. Fix them. (a hook continues)\n  says    And once more.\n',
  ]) {
    expect(agent).toContain(words)
  }
})

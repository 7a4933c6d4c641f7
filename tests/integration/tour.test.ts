// What a newcomer sees first must work.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const tour = fileURLToPath(new URL('../../examples/tour/tour.mjs', import.meta.url))

it('the tour runs on the built packages and shows one verdict of each kind', async () => {
  const { stdout, stderr } = await run(process.execPath, [tour])
  expect(stderr).toBe('')
  for (const words of ['DENIED', 'failed open', '{"command":"npm ci"}', 'TOUR-7', 'threw', 'is reached']) {
    expect(stdout).toContain(words)
  }
})

// The tests run in a real shell; what they print at the end becomes the next message of the agent.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withDefaults } from '../guard.js'
import { grind } from './guard.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-grind-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const manifest = (test: string) =>
  writeFileSync(join(root, 'package.json'), JSON.stringify({ scripts: { test } }))

async function stop(options = {}, payload = {}): Promise<string | undefined> {
  const place = { root, cwd: root, home: root }
  const given = { status: 'completed', loop_count: 0, ...payload }
  return (await grind.judge(given, withDefaults(grind, options), place)).followup
}

it('sends the failure, and nothing when the tests pass', async () => {
  const options = { command: 'test -f done.txt' }
  expect(await stop(options)).toMatch(/test -f done\.txt ended with 1\.\nIt printed nothing\./)
  writeFileSync(join(root, 'done.txt'), '')
  expect(await stop(options)).toBeUndefined()
})

it('says whether the tests run again, until the rounds end', async () => {
  const options = { command: 'echo "1 failed"; exit 3', rounds: 2 }
  expect(await stop(options)).toMatch(/ended with 3[\s\S]*1 failed[\s\S]*They run again when you stop\.$/)
  expect(await stop(options, { loop_count: 1 })).toMatch(/They do not run again by themselves\.$/)
  expect(await stop(options, { loop_count: 2 })).toBeUndefined()
})

it.each(['aborted', 'error'])('does not run tests after a turn that is %s', async status => {
  expect(await stop({ command: 'touch ran.txt; exit 1' }, { status })).toBeUndefined()
  expect(existsSync(join(root, 'ran.txt'))).toBe(false)
})

it('runs the test script of package.json', async () => {
  manifest('echo two tests failed >&2; exit 1')
  expect(await stop()).toContain('two tests failed')
})

it('does nothing without tests', async () => {
  expect(await stop()).toBeUndefined()
  manifest('echo "Error: no test specified" && exit 1')
  expect(await stop()).toBeUndefined()
})

it('ends tests that do not end, with all that they started', async () => {
  const command = 'echo started; sleep 60 & sleep 60'
  expect(await stop({ command, seconds: 0.3 })).toMatch(/was ended after 0\.3 seconds\.[\s\S]*started/)
})

it('keeps the end of much output, without colours', async () => {
  const command = "seq 1 100000; printf '\\033[31mlast\\033[0m line\\n'; exit 1"
  const followup = await stop({ command })
  expect(followup).toMatch(/\n100000\nlast line\n/)
  expect(followup!.length).toBeGreaterThan(3900)
  expect(followup!.length).toBeLessThan(4600)
})

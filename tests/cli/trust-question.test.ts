// The question of holdfast trust in a real terminal: only an explicit yes counts.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

/** Starts the command in a terminal, answers its question, and returns its output and exit code. */
const TERMINAL = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
written = b""
answered = False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    if not part:
        break
    written += part
    if not answered and b"Trust them?" in written and b"No" in written:
        answered = True
        os.write(terminal, sys.argv[1].encode())
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(written)
print("exit", os.waitstatus_to_exitcode(status))
`

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-question-'))
  mkdirSync(join(folder, 'root/.cursor'), { recursive: true })
  writeFileSync(
    join(folder, 'root/.cursor/hooks.json'),
    '{"version":1,"hooks":{"stop":[{"command":"true"}]}}',
  )
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  ['\r', false],
  ['n', false],
  ['\x03', false],
  ['\x1b', false],
  ['y', true],
])('takes the answer %j as a yes: %s', (answer, isYes) => {
  const home = join(folder, 'home')
  const command = [process.execPath, BIN, 'trust', '--root', join(folder, 'root'), '--home', home]
  const written = execFileSync('python3', ['-c', TERMINAL, answer, ...command], {
    encoding: 'utf8',
    env: { ...process.env, HOME: home, NO_COLOR: '1' },
  })
  expect(written).toContain('run with your permissions')
  expect(written).toContain(isYes ? '1 hook trusted' : 'Nothing was trusted')
  expect(written).toContain(`exit ${isYes ? 0 : 1}`)
  expect(existsSync(join(home, '.holdfast'))).toBe(isYes)
})

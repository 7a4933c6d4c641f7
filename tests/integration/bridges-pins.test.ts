// Pinned guards through the command: denied after a change, reviewed and accepted with `holdfast trust`.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createStates, statesFolder } from '@holdfast/hooks/bridges'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { BLOCKS, SHAPES } from '../fixtures/agents.js'
import { Workspace } from '../fixtures/workspace.js'
import { runHoldfast, startWarm, type Warm } from '../warm/warm.js'

let warm: Warm
beforeAll(() => {
  warm = startWarm()
})
afterAll(() => warm.close())

let place: Workspace
beforeEach(async () => {
  place = new Workspace()
  await createStates(statesFolder(place.home, { name: 'claude-code' }))
})
afterEach(() => place.close())

function run(args: string[], input = '', more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, CLAUDE_PROJECT_DIR: '', NO_COLOR: '1', ...more }
  const { status, stdout, stderr } = runHoldfast(warm, [...args, '--home', place.home], {
    cwd: place.root,
    env,
    input,
  })
  return { exitCode: status ?? -1, stdout, stderr }
}
const shell = (command: string, args: string[] = []) =>
  run(
    ['bridge', 'claude-code', '--event', 'PreToolUse', '--enterprise', place.enterprise, ...args],
    JSON.stringify({ cwd: place.root, ...SHAPES['claude-code'].shell(command) }),
  )
const isDenied = (command: string, args?: string[]) =>
  BLOCKS['claude-code']('PreToolUse', shell(command, args))
const guard = { beforeShellExecution: [{ command: 'cat > /dev/null', matcher: 'rm' }] }

it('denies until the user accepts the change with trust', () => {
  place.user(guard)
  expect(isDenied('rm x')).toBe(false)
  place.user({})
  expect(isDenied('rm x')).toBe(true)
  expect(place.read(join(place.home, '.holdfast/log/bridge.log'))).toContain('was changed or removed')

  const refused = run(['trust'])
  expect(refused.exitCode).toBe(1)
  expect(refused.stdout).toContain('1 guard of 1 session was changed or removed')
  expect(refused.stdout).toContain('cat > /dev/null')
  expect(isDenied('rm x')).toBe(true)
  const json = run(['trust', '--json'])
  expect(JSON.parse(json.stdout).session_guards).toMatchObject([
    { event: 'beforeShellExecution', source: 'user', hook: 'cat > /dev/null' },
  ])

  // The panel can trust as well.
  for (const words of [
    ['trust', '--yes'],
    ['ui', '--no-open'],
  ]) {
    const byAgent = run(words, '', { CLAUDECODE: '1' })
    expect(byAgent).toMatchObject({ exitCode: 1 })
    expect(byAgent.stderr).toContain('was started by Claude Code')
  }
  expect(isDenied('rm x')).toBe(true)

  const accepted = run(['trust', '--yes'])
  expect(accepted).toMatchObject({ exitCode: 0, stderr: '' })
  expect(accepted.stdout).toContain('Accepted for 1 session.')
  expect(isDenied('rm x')).toBe(false)
})

it('trusts and accepts a project guard that changed in one step', () => {
  place.write('.cursor/guard.sh', '#!/bin/sh\ncat > /dev/null\n')
  place.project({ beforeShellExecution: [{ command: '.cursor/guard.sh' }] })
  run(['trust', '--yes'])
  expect(isDenied('ls')).toBe(false)
  place.write('.cursor/guard.sh', '#!/bin/sh\ncat > /dev/null # mine\n')
  expect(isDenied('ls')).toBe(true)
  const { stdout } = run(['trust', '--yes'])
  expect(stdout).toContain('1 hook trusted')
  expect(stdout).toContain('Accepted for 1 session')
  expect(isDenied('ls')).toBe(false)
  rmSync(join(place.root, '.cursor'), { recursive: true })
  expect(isDenied('ls')).toBe(true)
})

// Hooks that misbehave, as real processes. Each once broke another engine.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive, script, until, Workspace } from '../fixtures/workspace.js'

let space: Workspace
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => space.close())

const fields = { command: 'rm -rf build' }

async function fire(name: string, entry: Record<string, unknown> = {}, env: Record<string, string> = {}) {
  space.use(name)
  space.project({ beforeShellExecution: [{ command: script(name), ...entry }] })
  const hooks = await space.open({ env: { ...process.env, ...env } })
  const verdict = await hooks.fire('beforeShellExecution', fields)
  return { verdict, run: verdict.runs[0]! }
}

const pidsIn = (file: string) => readFileSync(file, 'utf8').trim().split('\n').map(Number)

describe('time', () => {
  it('does not wait for a tree that ignores SIGTERM, and leaves nothing of it', async () => {
    const PIDS = join(space.base, 'pids')
    const kill = vi.spyOn(process, 'kill')
    const { run } = await fire('ignores-sigterm.sh', { timeout: 2 }, { PIDS })
    // The verdict arrives before any process was killed.
    const pids = pidsIn(PIDS)
    const isOurs = (pid: number) => pids.includes(Math.abs(pid))
    const signals = kill.mock.calls.filter(([pid]) => isOurs(pid)).map(([, signal]) => signal)
    kill.mockRestore()
    expect(signals).toContain('SIGTERM')
    expect(signals).not.toContain('SIGKILL')
    expect(run.outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/timeout' } })
    expect(pids).toHaveLength(2)
    await until(() => pids.every(pid => !isAlive(pid)))
  })

  it('is not delayed by a grandchild that keeps stdout open, and spares it', async () => {
    const PIDS = join(space.base, 'pids')
    const { verdict } = await fire('grandchild-holds-pipe.sh', {}, { PIDS })
    expect(verdict.permission).toBe('allow')
    await until(() => existsSync(PIDS) && pidsIn(PIDS)[0]! > 0)
    const [pid] = pidsIn(PIDS)
    expect(isAlive(pid!)).toBe(true)
    process.kill(pid!, 'SIGKILL')
  })

  it('lets a helper that was left behind go on printing', async () => {
    const [DONE, GO, PIDS] = ['done', 'go', 'pids'].map(name => join(space.base, name)) as [
      string,
      string,
      string,
    ]
    const { verdict } = await fire('helper-keeps-printing.sh', {}, { PIDS, GO, DONE })
    expect(verdict.permission).toBe('allow')
    writeFileSync(GO, '')
    await until(() => existsSync(DONE))
  })

  it('runs the hooks of one event at the same time', async () => {
    space.use('meets-others.sh')
    space.project({
      beforeShellExecution: Array.from({ length: 5 }, () => ({ command: script('meets-others.sh') })),
    })
    const hooks = await space.open({
      env: { ...process.env, MEETING: join(space.base, 'meeting'), OTHERS: '5' },
    })
    const verdict = await hooks.fire('beforeShellExecution', fields)
    expect(verdict.runs.map(run => run.outcome.kind)).toEqual(Array(5).fill('answered'))
  })

  it('runs fifty hooks on one event and keeps their order', async () => {
    const entries = Array.from({ length: 50 }, (_, i) => ({
      command: `sleep 0.0${(i * 7) % 10}; echo '{"permission":"allow","user_message":"${i}"}'`,
    }))
    space.project({ beforeShellExecution: entries })
    const verdict = await (await space.open()).fire('beforeShellExecution', fields)
    expect(verdict.userMessage).toBe(Array.from({ length: 50 }, (_, i) => i).join('\n\n'))
  })
})

describe('output', () => {
  it('reads a flood of 200 MB in bounded memory', async () => {
    const before = process.memoryUsage().rss
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 5)
    const { run } = await fire('flood.sh', { failClosed: true })
    clearInterval(watch)
    expect(run.outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/overflow' } })
    expect(run.exit.stdout).toHaveLength(1024 * 1024 + ' … '.length)
    expect(peak - before).toBeLessThan(100 * 1024 * 1024)
  })

  it('keeps the first part of a flood on stderr, and the response', async () => {
    const { run } = await fire('flood-stderr.sh')
    expect(run.outcome.kind).toBe('answered')
    expect(run.notes.map(({ code }) => code)).toContain('note/stderr-cut')
    expect(run.exit.stderr).toHaveLength(64 * 1024)
  })

  it('reads an answer up to the limit', async () => {
    const { verdict } = await fire('big-answer.sh')
    expect(verdict.userMessage).toHaveLength(1_000_000)
  })

  it('keeps a character that arrives in two pieces', async () => {
    const { verdict } = await fire('split-character.sh')
    expect(verdict.userMessage).toBe('café')
  })

  it('takes a deny after a log line', async () => {
    const { verdict, run } = await fire('log-before-json.sh')
    expect(verdict.permission).toBe('deny')
    expect(run.notes.map(note => note.code)).toEqual(['note/text-before'])
  })

  it('denies on a misspelt decision', async () => {
    const { verdict } = await fire('typo.sh')
    expect(verdict.permission).toBe('deny')
    expect(verdict.userMessage).toContain('"permission" is "denied"; expected allow, ask or deny.')
  })
})

describe('input', () => {
  it('does not mind a hook that never reads', async () => {
    const { verdict } = await fire('allow.sh')
    expect(verdict.permission).toBe('allow')
  })

  it('can be opened as /dev/stdin', async () => {
    const { verdict } = await fire('reads-dev-stdin.sh')
    expect(Number(verdict.userMessage)).toBeGreaterThan(100)
  })

  it('passes 10 MB, and ends', async () => {
    space.use('counts-stdin.sh')
    space.project({
      beforeReadFile: [{ command: script('counts-stdin.sh') }, { command: script('counts-stdin.sh') }],
    })
    const content = 'é'.repeat(5 * 1024 * 1024)
    const verdict = await (await space.open()).fire('beforeReadFile', { file_path: '/a', content })
    for (const size of verdict.userMessage!.split('\n\n'))
      expect(Number(size)).toBeGreaterThan(10 * 1024 * 1024)
  })

  it('does not mind 10 MB that nobody reads', async () => {
    space.use('allow.sh')
    space.project({ beforeReadFile: [{ command: script('allow.sh') }] })
    const content = 'x'.repeat(10 * 1024 * 1024)
    const verdict = await (await space.open()).fire('beforeReadFile', { file_path: '/a', content })
    expect(verdict.permission).toBe('allow')
  })

  it('is plain JSON without a byte order mark', async () => {
    const { verdict } = await fire('echo-payload.sh')
    expect(verdict.userMessage).toMatch(/^\{"hook_event_name":"beforeShellExecution"/)
    expect(JSON.parse(verdict.userMessage!)).toMatchObject({
      command: 'rm -rf build',
      workspace_roots: [space.root],
    })
  })

  it('of one source cannot be changed by a hook of another', async () => {
    space.use('writes-stdin.sh')
    const waits = space.write(
      join(space.enterprise, 'waits.sh'),
      readFileSync(join(import.meta.dirname, '../fixtures/hooks/waits-then-counts.sh'), 'utf8'),
    )
    space.enterpriseHooks({ beforeShellExecution: [{ command: waits }] })
    space.project({ beforeShellExecution: [{ command: script('writes-stdin.sh') }] })
    const verdict = await (await space.open()).fire('beforeShellExecution', { command: 'x'.repeat(300_000) })
    expect(Number(verdict.userMessage)).toBeGreaterThan(300_000)
  })
})

describe('the end', () => {
  it('by a signal is never exit 0', async () => {
    const { verdict, run } = await fire('killed.sh')
    expect(run.exit).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect(run.outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/signal' } })
    expect(verdict.permission).toBeNull()
  })

  it('with exit 2 and {} denies', async () => {
    expect((await fire('exit-two-empty.sh')).verdict.permission).toBe('deny')
  })

  it('with exit 2 says what stderr says', async () => {
    const { verdict } = await fire('exit-two-stderr.sh')
    expect(verdict).toMatchObject({
      permission: 'deny',
      userMessage: 'no force pushes',
      agentMessage: 'no force pushes',
    })
  })

  it('of a command that does not exist is the same, direct or through the shell', async () => {
    space.project({
      beforeShellExecution: [
        { command: './absent.sh' },
        { command: './absent.sh; exit $?' },
        { command: 'absent-program x' },
      ],
    })
    const verdict = await (await space.open()).fire('beforeShellExecution', fields)
    const codes = verdict.runs.map(run => run.outcome.kind === 'failed' && run.outcome.failure.code)
    expect(codes).toEqual(['run/not-found', 'run/not-found', 'run/not-found'])
    expect(verdict.permission).toBeNull()
  })

  it('of a script without execute bit or shebang is the same, direct or through the shell', async () => {
    space.write('plain.sh', 'echo {}')
    space.write('no-shebang.sh', '#!x')
    space.write('no-shebang.sh', `echo '{"permission":"deny"}'`)
    space.project({
      beforeShellExecution: [
        { command: './plain.sh' },
        { command: './plain.sh; exit $?' },
        { command: './no-shebang.sh' },
        { command: './no-shebang.sh; exit $?' },
      ],
    })
    const verdict = await (await space.open()).fire('beforeShellExecution', fields)
    const seen = verdict.runs.map(({ outcome }) =>
      outcome.kind === 'failed' ? outcome.failure.code : outcome.kind,
    )
    expect(seen).toEqual(['run/not-executable', 'run/not-executable', 'answered', 'answered'])
  })

  it('of a hook whose folder is missing is reported', async () => {
    space.write(join(space.home, '.cursor/hooks.json'), '{"hooks":{"stop":[{"command":"true-ish"}]}}')
    const hooks = await space.open({ workspaceRoots: [join(space.base, 'gone')] })
    hooks.register({ event: 'stop', run: () => ({}) })
    expect((await hooks.fire('stop', {})).runs[0]!.outcome).toMatchObject({
      failure: { code: 'run/not-found' },
    })
  })
})

describe('cancelling', () => {
  it('ends everything and rejects', async () => {
    const PIDS = join(space.base, 'pids')
    space.use('ignores-sigterm.sh')
    space.project({ beforeShellExecution: [{ command: script('ignores-sigterm.sh') }] })
    const hooks = await space.open({ env: { ...process.env, PIDS } })
    const controller = new AbortController()
    const firing = hooks.fire('beforeShellExecution', fields, { signal: controller.signal })
    await until(() => existsSync(PIDS) && pidsIn(PIDS).length === 2)
    const pids = pidsIn(PIDS)
    controller.abort(new Error('the user left'))
    await expect(firing).rejects.toMatchObject({ code: 'use/aborted', cause: { message: 'the user left' } })
    await until(() => pids.every(pid => !isAlive(pid)))
  })

  it('before the start starts nothing', async () => {
    space.use('allow.sh')
    space.project({ beforeShellExecution: [{ command: script('allow.sh') }] })
    const hooks = await space.open()
    const signal = AbortSignal.abort()
    await expect(hooks.fire('beforeShellExecution', fields, { signal })).rejects.toMatchObject({
      code: 'use/aborted',
    })
    expect(hooks.log()).toHaveLength(0)
  })
})

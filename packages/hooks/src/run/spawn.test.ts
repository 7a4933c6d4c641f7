import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isAlive } from '../../../../tests/fixtures/workspace.js'
import { openInput } from './input.js'
import { STDOUT_LIMIT } from './output.js'
import { LATE_LOOKS, LOOK_MS, STDERR_CUT, STDERR_LIMIT, start } from './spawn.js'

const input = openInput({ command: 'ls' }, process.platform)

const startShell = (script: string, signal?: AbortSignal) =>
  start(
    { file: '/bin/sh', args: ['-c', script] },
    { cwd: tmpdir(), env: process.env, timeoutMs: 5000, input, rank: 1, platform: process.platform, signal },
  )

afterEach(() => vi.restoreAllMocks())

describe('a signal of the host', () => {
  it('that was aborted before the start ends the process', async () => {
    const kill = vi.spyOn(process, 'kill')
    const exit = await startShell('exec sleep 600', AbortSignal.abort())
    expect(exit).toMatchObject({
      code: null,
      failure: { code: 'run/signal', message: 'The host cancelled the event.' },
    })
    const [group] = kill.mock.calls.find(([, signal]) => signal === 'SIGTERM')!
    await expect.poll(() => isAlive(-group)).toBe(false)
  })

  it('has no listener left when the process has ended', async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    expect(await startShell('echo {}', signal)).toMatchObject({ code: 0, stdout: '{}\n' })
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove.mock.calls[0]).toEqual(add.mock.calls[0]!.slice(0, 2))
  })
})

describe('the output of a process', () => {
  const print = (bytes: number, to = '') => `head -c ${bytes} /dev/zero | tr '\\0' x${to}`

  it('on stdout is complete up to its limit, and fails the run beyond it', async () => {
    const all = await startShell(print(STDOUT_LIMIT))
    expect([all.failure, all.stdout.length]).toEqual([undefined, STDOUT_LIMIT])
    const cut = await startShell(print(STDOUT_LIMIT + 1))
    expect([cut.failure?.code, cut.code, cut.stdout.length]).toEqual(['run/overflow', 0, STDOUT_LIMIT + 3])
  })

  it('on stderr is complete up to its limit, and cut beyond it without ending the hook', async () => {
    const all = await startShell(print(STDERR_LIMIT, ' >&2'))
    expect([all.notes, all.stderr.length]).toEqual([undefined, STDERR_LIMIT])
    const cut = await startShell(`${print(10 * STDERR_LIMIT, ' >&2')}; echo after; exit 2`)
    expect(cut).toMatchObject({ notes: [STDERR_CUT], stdout: 'after\n', code: 2 })
    expect([cut.failure, cut.stderr.length]).toEqual([undefined, STDERR_LIMIT])
  })
})

describe('a response that another process passes on', () => {
  // In place of `exec > >(cat)` of bash: the reader of a pipe prints after the hook itself has ended.
  const later = (text: string, seconds: number) => `(sleep ${seconds}; echo '${text}') & exit 0`

  it('is waited for shortly after the exit', async () => {
    expect(await startShell(later('{"permission":"deny"}', 0.02))).toMatchObject({
      code: 0,
      stdout: '{"permission":"deny"}\n',
    })
    const split = await startShell(`printf '{"permission":'; ${later('"deny"}', 0.02)}`)
    expect(split.stdout).toBe('{"permission":"deny"}\n')
  })

  it('is not waited for after a complete response, or for long', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-late-'))
    const afterwards = `(while [ -d '${folder}' ]; do sleep 0.01; done; echo '{"late":1}') & exit 0`
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const looks = () => timers.mock.calls.filter(([, ms]) => ms === LOOK_MS).length
    try {
      expect((await startShell(`echo '{}'; ${afterwards}`)).stdout).toBe('{}\n')
      expect(looks()).toBe(0)
      expect((await startShell(afterwards)).stdout).toBe('')
      expect(looks()).toBe(LATE_LOOKS)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('an exit of the host', () => {
  it('kills a hook that runs, and not what a finished hook left running', async () => {
    const { stdout } = await startShell('echo $$')
    const controller = new AbortController()
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    const running = startShell('exec sleep 600', controller.signal)
    // Other files in this worker may have loaded the module, too, and added a listener of their own.
    const killers = process.listeners('exit').filter(each => String(each).includes('SIGKILL'))
    expect(killers.length).toBeGreaterThan(0)
    for (const killer of killers) (killer as () => void)()
    const groups = kill.mock.calls.map(([pid]) => -pid)
    kill.mockRestore()
    expect(groups.length).toBeGreaterThan(0)
    expect(groups).not.toContain(Number(stdout))
    controller.abort()
    expect((await running).failure?.code).toBe('run/signal')
    await expect.poll(() => groups.some(isAlive)).toBe(false)
  })
})

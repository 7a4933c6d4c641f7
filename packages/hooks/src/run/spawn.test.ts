import { tmpdir } from 'node:os'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isAlive } from '../../../../tests/fixtures/workspace.js'
import { openInput } from './input.js'
import { start } from './spawn.js'

const input = openInput({ command: 'ls' }, process.platform, () => 'input')

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

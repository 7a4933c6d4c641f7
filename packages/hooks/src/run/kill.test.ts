import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isAlive } from '../../../../tests/fixtures/workspace.js'

type Kill = typeof import('./kill.js')

describe('ending a process group', () => {
  let kill: Kill
  let child: ChildProcess
  let group: number
  /** What the host process runs when it exits. */
  let atExit: () => void
  let now = 0

  beforeEach(async () => {
    // A module of its own: the one that other tests use has registered its listener already.
    kill = await import(`${import.meta.resolve('./kill.js')}?${process.hrtime.bigint()}`)
    child = spawn('/bin/sh', ['-c', "trap '' TERM; echo ready; read _"], {
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await once(child.stdout!, 'data')
    group = child.pid!
    const before = process.listeners('exit')
    kill.startedGroup(group)
    kill.startedGroup(group)
    const added = process.listeners('exit').filter(each => !before.includes(each))
    expect(added).toHaveLength(1)
    atExit = added[0] as () => void
    now = 10
    vi.spyOn(process, 'uptime').mockImplementation(() => now)
    vi.spyOn(process, 'kill')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })

  afterEach(async () => {
    vi.useRealTimers()
    vi.restoreAllMocks()
    process.off('exit', atExit)
    if (child.exitCode === null && child.signalCode === null) {
      process.kill(-group, 'SIGKILL')
      await once(child, 'exit')
    }
  })

  /** Signals sent to the group since the last call; 0 only checks whether the group exists. */
  const sent = () => {
    const calls = vi.mocked(process.kill).mock.calls.splice(0)
    return calls.filter(([pid]) => pid === -group).map(([, signal]) => signal)
  }
  const pass = (ms: number) => {
    now += ms / 1000
    vi.advanceTimersByTime(20)
  }

  it('sends SIGTERM at once and SIGKILL when the grace is over', async () => {
    kill.endGroup(group, 'linux')
    expect(sent()).toEqual(['SIGTERM'])
    pass(490)
    expect(sent()).toEqual([0])
    pass(11)
    expect(sent()).toEqual(['SIGKILL'])
    await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    expect(vi.getTimerCount()).toBe(0)
    atExit()
    expect(sent()).toEqual([])
  })

  it('stops looking when the group has ended by itself', async () => {
    kill.endGroup(group, 'linux')
    child.stdin!.end()
    await once(child, 'exit')
    pass(20)
    expect(sent()).toEqual(['SIGTERM', 0])
    expect(vi.getTimerCount()).toBe(0)
    atExit()
    expect(sent()).toEqual([])
  })

  it('kills the group when the host exits during the grace', async () => {
    kill.endGroup(group, 'linux')
    pass(20)
    expect(sent()).toEqual(['SIGTERM', 0])
    atExit()
    expect(sent()).toEqual(['SIGKILL'])
    await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
  })

  it('kills a running group when the host exits, and spares one that has finished', async () => {
    kill.finishedGroup(group)
    atExit()
    expect(sent()).toEqual([])
    expect(isAlive(group)).toBe(true)
    kill.startedGroup(group)
    atExit()
    expect(sent()).toEqual(['SIGKILL'])
  })

  it('sends nothing more to a group that no longer exists', async () => {
    child.stdin!.end()
    await once(child, 'exit')
    kill.endGroup(group, 'linux')
    expect(vi.getTimerCount()).toBe(0)
    expect(sent()).toEqual(['SIGTERM'])
    atExit()
    expect(sent()).toEqual([])
  })
})

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import { isAlive } from '../../../../tests/fixtures/workspace.js'
import { plan } from '../plan/plan.js'
import type { HookDefinition } from '../protocol/config.js'
import type { AnyFields } from '../protocol/payload.js'
import type { ProfileName } from '../protocol/profiles.js'
import { read } from '../read/read.js'
import { type RunOptions, run, runSync } from './run.js'

const host = { env: process.env, version: '3', userEmail: null, remote: false }
const options: RunOptions = {
  host,
  platform: process.platform,
  allowedHosts: () => undefined,
  variables: [],
  read,
}
const hook = (command: string, over: Partial<HookDefinition> = {}) =>
  definition({ command, cwd: tmpdir(), timeoutMs: 20_000, ...over })
const planned = (hooks: HookDefinition[], fields: AnyFields = {}, profile?: ProfileName) =>
  plan(eventOf('beforeShellExecution', { command: 'ls', ...fields }, profile), hooks)

afterEach(() => vi.restoreAllMocks())

describe('running the hooks of an event', () => {
  it('starts none when the signal was aborted before', async () => {
    const called = vi.fn()
    const file = join(tmpdir(), `run-test-started-${process.pid}`)
    const all = [hook(`touch ${file}`), definition({ type: 'function', run: called })]
    const { runs } = await run(planned(all), { ...options, signal: AbortSignal.abort() })
    expect(runs.map(({ outcome }) => outcome)).toMatchObject([
      { failure: { code: 'run/signal' } },
      { failure: { code: 'run/signal' } },
    ])
    expect(called).not.toHaveBeenCalled()
    expect(fs.existsSync(file)).toBe(false)
  })

  it('ends them when the signal aborts while they run', async () => {
    const kill = vi.spyOn(process, 'kill')
    const controller = new AbortController()
    const running = run(planned([hook('exec sleep 600'), hook('exec sleep 600')]), {
      ...options,
      signal: controller.signal,
    })
    setImmediate(() => controller.abort())
    const { runs } = await running
    expect(runs.map(({ outcome }) => outcome)).toMatchObject([
      { failure: { code: 'run/signal' } },
      { failure: { code: 'run/signal' } },
    ])
    const groups = kill.mock.calls.filter(([, signal]) => signal === 'SIGTERM').map(([pid]) => -pid)
    expect(groups).toHaveLength(2)
    await expect.poll(() => groups.some(isAlive)).toBe(false)
  })

  it('leaves no listener on the signal of the host', async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, 'addEventListener')
    const remove = vi.spyOn(signal, 'removeEventListener')
    await run(planned([hook('echo {}'), hook('echo {}')]), { ...options, signal })
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove.mock.calls).toEqual([add.mock.calls[0]!.slice(0, 2)])
  })

  it('closes every file that it opened for the payload', async () => {
    const opened: number[] = []
    const closed: number[] = []
    const { openSync, closeSync } = fs
    fs.openSync = (...args) => {
      const fd = openSync(...args)
      opened.push(fd)
      return fd
    }
    fs.closeSync = fd => {
      closed.push(fd)
      closeSync(fd)
    }
    syncBuiltinESMExports()
    try {
      const fields = { command: 'x'.repeat(300_000) }
      const hooks = [hook('echo {}'), hook('echo {}'), hook('./absent-program'), hook('echo {}', { rank: 9 })]
      await run(planned(hooks, fields), options)
      runSync(planned([hook('true'), hook('true', { rank: 9 })], fields), options)
      // One is opened beforehand, for the next event.
      await new Promise(resolve => setImmediate(resolve))
      expect(opened.length).toBeGreaterThan(6)
      expect(opened.length - closed.length).toBeLessThanOrEqual(1)
    } finally {
      Object.assign(fs, { openSync, closeSync })
      syncBuiltinESMExports()
    }
  })

  it('waits as long as the time limit of an entry says, beyond the longest timer of Node', async () => {
    const { runs } = await run(planned([hook('sleep 0.05; echo {}', { timeoutMs: 2 ** 31 })]), options)
    expect(runs).toMatchObject([{ outcome: { kind: 'answered' } }])
  })

  it('survives a function that fails later, at the end of the process', async () => {
    const failed = vi.fn()
    process.on('unhandledRejection', failed)
    try {
      const fails = definition({ type: 'function', run: () => Promise.reject(new Error('late')) })
      expect(runSync(planned([fails]), options).runs).toMatchObject([{ outcome: { kind: 'silent' } }])
      await new Promise(resolve => setImmediate(resolve))
      expect(failed).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', failed)
    }
  })

  it('applies the time limit of an entry only in versions that read it', async () => {
    const late = [hook('sleep 0.2; echo {}', { timeoutMs: 20 })]
    const outcomeIn = async (profile?: ProfileName) =>
      (await run(planned(late, {}, profile), options)).runs[0]!.outcome
    expect(await outcomeIn()).toMatchObject({ failure: { code: 'run/timeout' } })
    expect(await outcomeIn('cursor-2.1')).toMatchObject({ kind: 'answered' })
  })
})

describe('the environment of a hook', () => {
  const printed = async (names: string[], one: HookDefinition, over: Partial<RunOptions>, fields = {}) => {
    const { runs } = await run(planned([one], fields), { ...options, ...over })
    return runs[0]!.exit.stderr.trimEnd().split('|').slice(0, names.length)
  }
  const FIXED = ['CURSOR_TRANSCRIPT_PATH', 'CURSOR_USER_EMAIL', 'CURSOR_CODE_REMOTE', 'CURSOR_PLUGIN_ROOT']
  const prints = (names: string[]) => `echo "${names.map(name => `$${name}`).join('|')}|" >&2`

  it('has no fixed variable of the host that the event does not set', async () => {
    const inherited = Object.fromEntries(FIXED.map(name => [name, 'inherited']))
    const one = hook(prints(FIXED))
    const env = { ...process.env, ...inherited }
    expect(await printed(FIXED, one, { host: { ...host, env } })).toEqual(['', '', '', ''])
  })

  it('names the folder that it runs in, and the plugin that it belongs to', async () => {
    const env = { ...process.env, PWD: '/elsewhere' }
    // Without a shell, which sets PWD by itself.
    const one = hook('env', { plugin: '/plugin' })
    const { runs } = await run(planned([one]), { ...options, host: { ...host, env } })
    expect(runs[0]!.exit.stdout.split('\n')).toEqual(
      expect.arrayContaining([`PWD=${tmpdir()}`, 'CURSOR_PLUGIN_ROOT=/plugin', 'CLAUDE_PLUGIN_ROOT=/plugin']),
    )
  })

  it('follows the transcript, the session variables and the host from one event to the next', async () => {
    const names = ['CURSOR_TRANSCRIPT_PATH', 'TEAM', 'CURSOR_USER_EMAIL']
    const one = hook(prints(names), { rank: 3 })
    const event = (transcript_path: string | null, over: Partial<RunOptions> = {}) =>
      printed(names, one, over, { transcript_path })
    expect(await event('/a')).toEqual(['/a', '', ''])
    expect(await event('/b')).toEqual(['/b', '', ''])
    expect(await event('/b', { variables: [{ rank: 3, env: { TEAM: 'blue' } }] })).toEqual(['/b', 'blue', ''])
    expect(await event('/b', { variables: [{ rank: 4, env: { TEAM: 'low' } }] })).toEqual(['/b', '', ''])
    expect(await event(null, { host: { ...host, userEmail: 'a@b.example' } })).toEqual([
      '',
      '',
      'a@b.example',
    ])
  })

  it('leaves out what no process can have, so that the hook starts', async () => {
    const bytes = 128 * 1024
    const held = { LARGE: 'x'.repeat(bytes - 2 - 'LARGE='.length - 1), SMALL: 'yes' }
    const refused = { OVER: 'x'.repeat(bytes - 'OVER='.length), 'A=B': 'x', 'N\0': 'x', NUL: 'a\0b', '': 'x' }
    const one = hook(`echo "\${#LARGE}|\${#OVER}|$SMALL|$A|" >&2`)
    const variables = [{ rank: 0, env: { ...held, ...refused } }]
    expect(await printed(['', '', '', ''], one, { variables })).toEqual([
      String(held.LARGE.length),
      '0',
      'yes',
      '',
    ])
  })
})

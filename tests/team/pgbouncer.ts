// PgBouncer in transaction mode in front of a database, where it is installed.

import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watched } from '../processes.js'
import { freePort, NOBODY, openFolder } from './postgres.js'

/** Debian installs it where only root's PATH looks. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find(
  program => spawnSync(program, ['--version']).status === 0,
)
export const hasPgbouncer = PROGRAM !== undefined

export async function startPgbouncer(url: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port: to, username, password } = new URL(url)
  const folder = mkdtempSync(join(openFolder([]), 'holdfast-pgbouncer-'))
  if ('uid' in NOBODY) chmodSync(folder, 0o755)
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
* = host=${hostname} port=${to} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
`,
  )
  const child = watched(spawn(PROGRAM!, [config], { ...NOBODY, stdio: ['ignore', 'ignore', 'pipe'] }))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < 10_000) said += text
      if (said.includes('process up')) resolve()
    })
    child.once('exit', () => reject(new Error(said)))
  })
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    async stop() {
      const ended = new Promise(resolve => child.once('exit', resolve))
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

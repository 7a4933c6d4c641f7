// holdfast login as a user runs it: the command shows a code, a browser approves it, and the machine is enrolled.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { watched } from '../processes.js'
import { itInAll } from '../scope.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { startServer, type TestServer } from './people.js'

const HOLDFAST = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

let database: TestDatabase
let server: TestServer
let home: string
beforeEach(async () => {
  database = await SQLITE.create()
  server = await startServer(database)
  home = mkdtempSync(join(tmpdir(), 'holdfast-login-'))
})
afterEach(async () => {
  await server.close()
  await database.drop()
  rmSync(home, { recursive: true, force: true })
})

itInAll('joins by a code that a member approves, and leaves', { timeout: 60_000 }, async () => {
  const ann = await server.member('author', 'ann@example.com')
  const login = run('login', server.url, '--yes', '--no-background')
  await expect.poll(() => login.text(), { timeout: 20_000 }).toMatch(/[B-Z]{4}-[B-Z]{4}/)
  const [user_code] = /[B-Z]{4}-[B-Z]{4}/.exec(login.text())!
  await ann.post('/device', { user_code: user_code! })
  expect((await ann.post('/device/approve', { user_code: user_code! })).text).toContain('may join the team')
  expect(await login.ended, login.text()).toBe(0)
  expect(login.text()).toContain('This machine belongs to')

  const { body } = await ann.call('DevicesService/ListDevices', {})
  expect(body).toMatchObject({ total: 1, devices: [{ enrolledBy: 'ann@example.com' }] })
  const leave = run('team', 'leave')
  expect(await leave.ended, leave.text()).toBe(0)
  const after = await ann.call('DevicesService/ListDevices', { state: 'left' })
  expect(after.body).toMatchObject({ total: 1 })
})

it('refuses a team whose fingerprint is not the one that the page showed', async () => {
  const ann = await server.member('author', 'ann@example.com')
  const shown = '0123456789abcdef'.repeat(4)
  const proxy = await startProxy(code => ({ ...code, fingerprint: shown, interval: 1 }))
  try {
    const login = run('login', proxy.url, '--yes', '--no-background')
    await expect.poll(() => login.text()).toMatch(/[B-Z]{4}-[B-Z]{4}/)
    const [user_code] = /[B-Z]{4}-[B-Z]{4}/.exec(login.text())!
    await ann.post('/device', { user_code: user_code! })
    await ann.post('/device/approve', { user_code: user_code! })
    expect(await login.ended, login.text()).toBe(1)
    expect(login.text()).toContain('The fingerprint of the team differs from --fingerprint.')
    const teams = readdirSync(join(home, '.cursor/managed')).filter(name => name.startsWith('team_'))
    expect(teams).toEqual([])
  } finally {
    await proxy.close()
  }
})

/** Passes calls on to the server, and changes its response to the request for a code. */
async function startProxy(change: (code: Record<string, unknown>) => Record<string, unknown>) {
  const proxy = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const answer = await fetch(`${server.url}${request.url}`, {
      method: request.method!,
      headers: headers as Record<string, string>,
      body,
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isCode = request.url === '/device/code'
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(isCode ? JSON.stringify(change(JSON.parse(bytes.toString()))) : bytes)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    close: () => new Promise(resolve => proxy.close(resolve).closeAllConnections()),
  }
}

function run(...args: string[]) {
  const child = watched(
    spawn(process.execPath, [HOLDFAST, ...args, '--home', home], {
      env: { ...process.env, HOME: home, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      text += part
    })
  }
  return { text: () => text, ended: new Promise<number | null>(resolve => child.on('close', resolve)) }
}

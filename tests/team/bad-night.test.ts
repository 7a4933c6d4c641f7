// A full disk, a missing database, a file that is no database, a second server on the same file.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest'
import { POSTGRES, SQLITE } from './databases.js'
import { startServer, type TestServer } from './people.js'
import { recordAt } from './records.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-night-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a database file', () => {
  it.each(['passwd', 'link'])(
    'that is not one is refused, and nothing is left beside it (%s)',
    async name => {
      const file = join(folder, name)
      writeFileSync(file, 'root:x:0:0:root:/root:/bin/bash\n'.repeat(10))
      const before = readFileSync(file)
      await expect(startServer({ url: file, drop: async () => {} }, { secret: undefined })).rejects.toThrow(
        `The database ${file} cannot be opened: it is not a database. Give a file with --database.`,
      )
      expect(readFileSync(file)).toEqual(before)
      for (const more of ['.secret', '.lock', '.reserve', '-wal', '-shm'])
        expect(existsSync(`${file}${more}`), more).toBe(false)
    },
  )

  it('serves one server at a time', async () => {
    const database = await SQLITE.create()
    const first = await startServer(database)
    await first.owner()
    await expect(startServer(database)).rejects.toThrow('Another server is running on the database')
    expect((await (await first.owner()).call('PeopleService/WhoAmI')).status).toBe(200)
    await first.close()
    const second = await startServer(database)
    await second.close()
    await database.drop()
  })
})

it('a PostgreSQL that is gone is named as the reason, and not the caller', async () => {
  const database = await POSTGRES.create()
  const proxy = await openProxy(database.url)
  const server = await startServer({ ...database, url: proxy.url })
  const owner = await server.owner()
  const headers = { authorization: `Bearer ${await server.token(owner)}` }
  expect((await server.call('PeopleService/WhoAmI', {}, headers)).status).toBe(200)
  await proxy.stop()
  server.team.hub.changed('tokens')
  const gone = { code: 'unavailable', message: 'The database is not reachable. Try again in a moment.' }
  expect(await server.call('PeopleService/WhoAmI', {}, headers)).toMatchObject(gone)
  expect(await owner.call('PeopleService/WhoAmI')).toMatchObject(gone)
  expect(await owner.call('HooksService/ListHooks')).toMatchObject(gone)
  await proxy.start()
  await expect
    .poll(() => owner.call('PeopleService/WhoAmI'), { timeout: 20_000 })
    .toMatchObject({ status: 200 })
  await server.close()
  await proxy.stop()
  await database.drop()
})

describe('a full disk', () => {
  const MIB = 1024 * 1024
  let disk: string
  let server: TestServer | undefined
  /** A real file system of 64 MiB, if the test may mount one. */
  const mount = ({ skip }: TestContext) => {
    disk = join(folder, 'disk')
    mkdirSync(disk)
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'none', disk], { stdio: 'pipe' })
    } catch {
      skip('This user may not mount a file system.')
    }
  }
  afterEach(async () => {
    await server?.close()
    server = undefined
    if (existsSync(disk)) execFileSync('umount', ['-l', disk], { stdio: 'ignore' })
  })
  const free = () => {
    const { bavail, bsize } = statfsSync(disk)
    return bavail * bsize
  }

  it('stops records only, and says so; they are accepted again when there is room', async context => {
    mount(context)
    server = await startServer({ url: join(disk, 'team.db'), drop: async () => {} })
    const owner = await server.owner()
    const device = await server.device()
    const ready = async () => (await fetch(`${server!.url}/readyz`)).text()
    let from = 0
    const send = async () => {
      const records = Array.from({ length: 50 }, () =>
        Buffer.from(JSON.stringify({ ...recordAt(Date.now()), stdout: 'x'.repeat(20_000) })),
      )
      const to = from + records.reduce((sum, { length }) => sum + length + 1, 0)
      const answer = await server!.call(
        'DeviceService/SendRecords',
        { segment: 's', from, to, records: records.map(bytes => bytes.toString('base64')) },
        { authorization: `Bearer ${device.token}` },
      )
      if (answer.status === 200) from = to
      return answer
    }
    expect(await send()).toMatchObject({ status: 200 })
    expect(await ready()).toBe('ready\n')
    // Another program uses nearly all space, in two steps.
    const other = join(disk, 'other')
    const take = (left: number) =>
      writeFileSync(other, Buffer.alloc(Math.max(0, free() - left * MIB)), { flag: 'a' })
    take(10)
    await expect
      .poll(send, { timeout: 10_000 })
      .toMatchObject({ code: 'resource_exhausted', message: expect.stringContaining('nearly full') })
    expect(await ready()).toContain('no records are accepted because the disk is nearly full')
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('holdfast_disk_full 1')
    expect(server.logged.join('\n')).toContain('the disk is nearly full: no records are accepted')
    take(0)
    await expect.poll(free, { timeout: 10_000 }).toBeGreaterThan(4 * MIB)

    const { body } = await owner.call('HooksService/SaveDraft', {
      id: 0,
      name: 'A prompt',
      baseVersion: 0,
      draft: { hookStep: 'beforeShellExecution', type: 'prompt', prompt: 'ok?', isActive: true },
    })
    const { id, draftVersion } = body.hook
    expect(await owner.call('HooksService/CheckDraft', { id })).toMatchObject({ body: { fit: true } })
    const drafts = [{ hookId: id, draftVersion }]
    expect(await owner.call('RolloutService/Publish', { drafts, note: 'x', skipRings: true })).toMatchObject({
      status: 200,
    })
    expect((await server.browser().signIn('olga@example.com')).status).toBe(303)
    expect(await owner.call('DevicesService/RevokeDevice', { id: device.id })).toMatchObject({ status: 200 })

    rmSync(other)
    await expect.poll(ready, { timeout: 10_000 }).toBe('ready\n')
    const healthy = await server.device()
    device.token = healthy.token
    from = 0
    expect(await send()).toMatchObject({ status: 200 })
  })
})

/** A proxy before a database; when it is stopped, its port does not respond. */
async function openProxy(database: string) {
  const real = new URL(database)
  const host = real.searchParams.get('host')
  const port = Number(real.port || real.searchParams.get('port') || 5432)
  const where = host?.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host: host ?? real.hostname, port }
  const sockets = new Set<Socket>()
  let server: Server
  let own = 0
  const start = async () => {
    server = createServer(socket => {
      const behind = connect(where)
      for (const one of [socket, behind]) {
        sockets.add(one)
        one.on('error', () => {})
        one.on('close', () => {
          sockets.delete(one)
          socket.destroy()
          behind.destroy()
        })
      }
      socket.pipe(behind).pipe(socket)
    })
    await new Promise<void>(resolve => server.listen(own, '127.0.0.1', resolve))
    own = (server.address() as { port: number }).port
  }
  await start()
  const url = new URL(database)
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return {
    url: url.href,
    start,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

// A disk image, or a home restored on a new machine: two machines begin with the same id, and end with different
// ones.

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DevicesService } from '@holdfast/team'
import { aroundOf, sync } from '@holdfast/team/device'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fire, holdfast } from './command.js'
import { ANY_DATABASE, type TestDatabase } from './databases.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

const DENY = `#!/bin/sh\ncat > /dev/null\necho '{"permission":"deny"}'\n`

describe.each(ANY_DATABASE)('$kind', ({ create }) => {
  let database: TestDatabase
  let server: TestServer
  let folder: string
  beforeEach(async () => {
    database = await create()
    server = await startTestServer(database.url)
    folder = mkdtempSync(join(tmpdir(), 'holdfast-copied-'))
  })
  afterEach(async () => {
    await server.close()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('the copy joins with an id of its own, and says so', { timeout: 60_000 }, async () => {
    const admin = callerOf(server.url, await seatMember(server, 'admin'))
    await publishHook(server, admin, DENY)
    const login = async (home: string) => {
      const { secret } = await admin(DevicesService).createEnrolmentKey({ maxUses: 1, hours: 1 })
      return holdfast(home, ['login', server.url, '--key', secret, '--yes', '--no-background'])
    }
    const [first, second] = [join(folder, 'first'), join(folder, 'second')]
    mkdirSync(first)
    const joined = await login(first)
    expect(joined).toMatchObject({ code: 0, stderr: '' })
    expect(joined.stdout).not.toContain('new id')
    cpSync(first, second, { recursive: true, verbatimSymlinks: true })
    const copied = await login(second)
    expect(copied).toMatchObject({ code: 0, stderr: '' })
    expect(copied.stdout).toContain('new id')
    for (const home of [first, second]) {
      const synced = await sync(aroundOf({ home, clientVersion: '0.1.0' }), server.team.id)
      expect(synced).toMatchObject({ inForce: { release: 1 } })
      expect(await fire(home, 'ls', '--required', 'team')).toMatchObject({ code: 2 })
    }
    const { devices } = await admin(DevicesService).listDevices({})
    expect(devices.map(({ state, release }) => `${state} ${release}`)).toEqual(['in_sync 1', 'in_sync 1'])
    expect(new Set(devices.map(({ id }) => id)).size).toBe(2)
  })
})

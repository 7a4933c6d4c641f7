// A backup of a running server, and its restoration, in both databases.

import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp, restore } from '@holdfast/server'
import { AuditService, HooksService, RolloutService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DATABASES, type TestDatabase } from './databases.js'
import { batchOf, recordAt } from './records.js'
import { callerOf, publishHook, seatMember, startTestServer, type TestServer } from './server.js'

describe.each(DATABASES)('of $kind', ({ create, kind }) => {
  const other = DATABASES.find(one => one.kind !== kind)!
  let folder: string
  let database: TestDatabase
  let server: TestServer
  const closing: (() => Promise<unknown>)[] = []
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-backup-'))
    database = await create()
    closing.push(() => database.drop())
    server = await startTestServer(database.url)
    closing.push(() => server.close())
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    rmSync(folder, { recursive: true, force: true })
  })
  const at = (name: string) => join(folder, name)

  it('is of one moment while the server works, and a server starts on what is restored', async () => {
    const token = await seatMember(server, 'owner')
    const caller = callerOf(server.url, token)
    const { number } = await publishHook(server, caller, '#!/bin/sh\n')
    let isOver = false
    let sent = 0
    const sending = (async () => {
      for (let from = 0; !isOver; sent++) {
        const batch = batchOf([recordAt(Date.now())], { deviceId: 'd1' })
        await server.team.records.store({ ...batch, from, to: from + batch.to }, Date.now())
        from += batch.to
      }
    })()
    await expect.poll(() => sent).toBeGreaterThan(3)
    const made = await backUp({ from: database.url, to: at('backup.db') })
    const during = sent
    await expect.poll(() => sent).toBeGreaterThan(during)
    isOver = true
    await sending
    expect(made).toMatchObject({ team: server.team.id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(readdirSync(folder)).toEqual(['backup.db'])

    const bytes = readFileSync(at('backup.db'))
    const target = await other.createEmpty()
    closing.push(() => target.drop())
    expect(await restore({ from: at('backup.db'), to: target.url })).toEqual({
      team: server.team.id,
      rows: made.rows,
    })
    expect(readFileSync(at('backup.db')).equals(bytes)).toBe(true)
    const restored = await startTestServer(target.url)
    closing.push(() => restored.close())
    const there = callerOf(restored.url, token)
    expect((await there(RolloutService).listReleases({})).releases).toMatchObject([{ number }])
    expect(await there(AuditService).verifyChain({})).toMatchObject({ state: 'whole' })
    // Ids continue after the restored ones.
    expect((await publishHook(restored, there, '#!/bin/sh\n# 2\n', { id: 1 })).number).toBe(number + 1)
    const draft = { hookStep: 'stop', scriptName: 'new.sh', scriptContent: '#!/bin/sh\n', isActive: true }
    expect((await there(HooksService).saveDraft({ name: 'new', draft })).hook!.id).toBe(2)
  })

  it('overwrites nothing, and restores nothing that is damaged', async () => {
    await backUp({ from: database.url, to: at('backup.db') })
    await expect(backUp({ from: database.url, to: at('backup.db') })).rejects.toThrow('is not overwritten')
    await expect(restore({ from: at('backup.db'), to: database.url })).rejects.toThrow('has a team already')
    await expect(restore({ from: at('none.db'), to: at('new.db') })).rejects.toThrow('There is no database')
    const bytes = readFileSync(at('backup.db'))
    const broken = {
      torn: bytes.subarray(0, bytes.length / 2),
      empty: Buffer.alloc(0),
      words: Buffer.from('words'),
    }
    for (const [name, content] of Object.entries(broken)) {
      writeFileSync(at(`${name}.db`), content)
      await expect(restore({ from: at(`${name}.db`), to: at('new.db') }), name).rejects.toThrow(
        /damaged|cannot be/,
      )
      expect(existsSync(at('new.db'))).toBe(false)
    }
    copyFileSync(at('backup.db'), at('twice.db'))
    expect(await restore({ from: at('twice.db'), to: at('new.db') })).toMatchObject({ team: server.team.id })
  })
})

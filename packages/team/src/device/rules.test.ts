// Rules of a device that only show at an unusual moment: a clock that was set back, keys that changed, a folder that
// vanished while a process waited.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'

import { loadEnrolment } from '@holdfast/hooks/team'
import { describe, expect, it, vi } from 'vitest'
import { DeviceService, sha256 } from '../index.js'
import { at, DAY, hexOf, keys, NOW } from '../signing/testing/team.js'
import { readLine } from './batch.js'
import { gapsOf, giveUp, keepWithin } from './bound.js'
import { deviceIdOf, newDeviceId } from './device-id.js'
import { openDisk } from './disk.js'
import { expiringOf } from './expiry.js'
import { aroundOf, enrol, leave, readStatus } from './index.js'
import { fetchHooks } from './offered.js'
import { countQueued, segmentsOf } from './queue.js'
import { refuse } from './refused.js'
import { type CallError, call } from './rpc.js'
import { cleanUp, freshDevice, freshFolder, publish } from './testing/device.js'

cleanUp()

const idIn = (home: string): string =>
  JSON.parse(readFileSync(join(home, '.cursor/managed/device.json'), 'utf8')).device_id

describe('a sync', () => {
  it('asks for a fresh lease by the latest verified time, also when the clock was set back', async () => {
    const device = await freshDevice()
    // Half of the lease is over at NOW - 2.5 days; the release was signed a day ago.
    publish(device.server, 1, { issued_at: at(NOW - DAY) })
    device.server.offer = {
      ...device.server.offer,
      lease: { issued_at: at(NOW - 6 * DAY), not_after: at(NOW + DAY) },
    }
    const now = () => NOW - 6 * DAY
    expect(await device.sync({ now })).toMatchObject({ kind: 'updated' })
    device.server.calls.length = 0
    await device.sync({ now })
    expect(device.server.calls).toEqual(['GetTeamHooks 200'])
  })

  it('of a machine that left the team while it waited changes nothing', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    writeFileSync(device.place.lock, JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }))
    device.server.calls.length = 0
    const sleep = async () => {
      for (const file of [device.place.enrolment, device.place.enrolled]) rmSync(file, { force: true })
      rmSync(device.place.lock, { force: true })
    }
    expect(await device.sync({ sleep })).toMatchObject({ kind: 'failed', problem: { code: 'enrolment' } })
    expect(device.server.calls).toEqual([])
    expect(readdirSync(device.place.folder).sort()).toEqual(['queue', 'trust'])
  })

  it('reports a release whose number the field cannot hold as the largest', async () => {
    const device = await freshDevice()
    publish(device.server, 2 ** 40)
    await device.sync()
    expect(device.server.reports).toMatchObject([{ release: 2 ** 31 - 1, state: 'in_sync' }])
  })

  it('keeps a killed set under a new lease key', async () => {
    const device = await freshDevice()
    const { server } = device
    publish(server, 1)
    await device.sync()
    server.offer = { lease: { order: 'kill' } }
    await device.sync()
    const fresh = keys()
    server.team.chain.push(server.team.next({ lease_keys: [hexOf(fresh.publicKey)] }))
    const hold = { order: 'hold', device_id: idIn(device.home) } as const
    server.offer = { leaseEnvelope: server.team.lease(undefined, hold, fresh.privateKey) }
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: { killed: true }, warnings: [] })
    expect(readStatus(device.around, 'acme')).toMatchObject({ state: 'killed', trustVersion: 2 })
  })

  it('does not use a killed set again that was left from before and changed', async () => {
    const device = await freshDevice()
    const { server } = device
    const one = publish(server, 1)
    const offer = server.offer
    await device.sync()
    server.offer = { lease: { order: 'kill' } }
    await device.sync()
    const [left = ''] = readdirSync(device.place.store).filter(name => name.startsWith('killed-'))
    server.offer = { ...offer, release: one }
    await device.sync()
    const manifest = join(device.place.store, left, 'manifest.json')
    rmSync(manifest)
    writeFileSync(manifest, '{"hooks":[]}')
    server.offer = { lease: { order: 'kill', ring: 'again' } }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { killed: true, hooks: 0 } })
    expect(readlinkSync(device.place.hooks)).not.toBe(`store/${left}`)
  })

  it('removes no set while the chain of trust is lost', async () => {
    const device = await freshDevice()
    const { server } = device
    const one = publish(server, 1)
    await device.sync()
    publish(server, 2, { may_revert_to: [sha256(one.payload)] })
    await device.sync()
    server.offer = { release: one, lease: { order: 'revert' } }
    await device.sync()
    server.offer = { lease: { order: 'kill' } }
    await device.sync()
    const sets = readdirSync(device.place.store)
    expect(sets).toHaveLength(3)
    rmSync(device.place.trust, { recursive: true })
    server.misbehave = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    expect(await device.sync()).toMatchObject({ kind: 'failed', problem: { code: 'server' } })
    expect(readdirSync(device.place.store)).toEqual(sets)
  })
})

describe('the status', () => {
  it('shows no release while the hooks are killed, and names what is in the way', async () => {
    const device = await freshDevice()
    const status = () => readStatus(device.around, 'acme')
    publish(device.server, 1)
    await device.sync()
    expect(status()).toMatchObject({ release: { release: 1 }, problem: null })
    device.server.offer = { lease: { order: 'kill' } }
    await device.sync()
    expect(status()).toMatchObject({ state: 'killed', inForce: { killed: true, hooks: 0 } })
    expect(status()?.release).toBeUndefined()
    rmSync(device.place.store, { recursive: true })
    symlinkSync(freshFolder(), device.place.store)
    expect(status()).toMatchObject({ state: 'no_bundle', problem: { code: 'tampered' } })
  })

  it.each([
    ['token', 14],
    ['lease', 2],
    ['release', 30],
  ] as const)('warns of the end of a %s %i days before it', (what, days) => {
    const ending = (ms: number) => {
      const far = at(NOW + 400 * DAY)
      const until = { token: far, lease: far, release: far, [what]: at(NOW + ms) }
      return expiringOf({ token_until: until.token }, until.lease, { expires_at: until.release }, NOW)
    }
    expect(ending(days * DAY)).toEqual([])
    expect(ending(days * DAY - 1)).toEqual([
      { what, until: at(NOW + days * DAY - 1), daysLeft: days - 1, isOver: false },
    ])
    expect(ending(0)).toMatchObject([{ what, daysLeft: 0, isOver: false }])
    expect(ending(-DAY)).toMatchObject([{ what, daysLeft: 0, isOver: true }])
    expect(expiringOf({ token_until: at(NOW + 400 * DAY) }, null, undefined, NOW)).toEqual([])
  })
})

describe('the id of a device', () => {
  it('is replaced only while it is the one that another device has', () => {
    const home = freshFolder()
    const around = aroundOf({ clientVersion: '1', home })
    const disk = openDisk({ ...around, random: around.unique })
    const first = deviceIdOf(around, disk)
    const second = newDeviceId(around, disk, first)
    expect(second).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    // Another process has noticed, too.
    expect(newDeviceId(around, disk, first)).toBe(second)
    expect(deviceIdOf(around, disk)).toBe(second)
    expect(idIn(home)).toBe(second)
  })

  it('stays when an enrolment fails for another reason', async () => {
    const device = await freshDevice()
    const before = idIn(device.home)
    let asked = 0
    device.server.misbehave = (_, response) => {
      asked++
      const error = { code: 'failed_precondition', message: 'Not now.' }
      response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(error))
      return true
    }
    const proof = { enrolmentKey: device.server.enrolmentKey }
    expect(await enrol(device.around, { server: device.server.url, proof })).toMatchObject({ ok: false })
    expect([asked, idIn(device.home)]).toEqual([1, before])
  })
})

it('a note of what was sent counts only as an offset inside its file', () => {
  const folder = freshFolder()
  const id = '00000000-0000-4000-8000-000000000000'
  writeFileSync(join(folder, `${id}.jsonl`), '{"id":"a"}\n{"id":"b"}\n')
  const doneWith = (note: string) => {
    writeFileSync(join(folder, `${id}.ack`), note)
    return segmentsOf(folder).map(({ done }) => done)
  }
  for (const [note, done] of [
    ['{"done":11}', 11],
    ['{"done":0}', 0],
    ['{"done":-11}', 0],
    ['{"done":1.5}', 0],
    ['{"done":"11"}', 0],
    ['{"done":1e9}', 22],
    ['', 0],
    ['[]', 0],
  ] as const)
    expect(doneWith(note), note).toEqual([done])
  expect(countQueued(folder)).toBe(2)
  mkdirSync(join(folder, '11111111-0000-4000-8000-000000000000.jsonl'))
  expect(segmentsOf(folder)).toHaveLength(1)
})

it('a line of the queue is a record unless it only says what was left out', () => {
  const read = (text: string) => {
    const { record, gap, isTorn } = readLine(Buffer.from(text))
    return gap ? `gap ${gap.count} ${gap.reason}` : `${record?.toString()} ${isTorn}`
  }
  const gap = (count: unknown) => JSON.stringify({ gap: { from: '', to: '', count, reason: 'full' } })
  expect(read(gap(3))).toBe('gap 3 full')
  for (const count of [0, -3, 1.5, '3', null, undefined]) expect(read(gap(count))).toBe('gap 1 full')
  expect(read(gap(2 ** 40))).toBe(`gap ${2 ** 31 - 1} full`)
  // The output of a hook can put this key into a record.
  const record = '{"id":"a","gap":{"count":1000}}'
  expect(read(record)).toBe(`${record} false`)
  for (const text of ['{"gap":1}', '{"gap":null}']) expect(read(text)).toBe(`${text} false`)
  expect(read(`{"id":"a","comm${record}`)).toBe(`${record} true`)
  expect(read('x')).toBe('undefined true')
})

it('a queue that is exactly full loses nothing, and what is done is not given up again', () => {
  const folder = freshFolder()
  const around = aroundOf({ clientVersion: '1', home: folder })
  const disk = openDisk({ ...around, random: around.unique })
  const id = '00000000-0000-4000-8000-000000000000'
  writeFileSync(join(folder, `${id}.jsonl`), '{"id":"a"}\n{"id":"b"}\n')
  keepWithin(folder, disk, { now: Date.now(), mostBytes: 22 })
  expect([segmentsOf(folder)[0]?.done, gapsOf(folder)]).toEqual([0, []])
  keepWithin(folder, disk, { now: Date.now(), mostBytes: 21 })
  expect([segmentsOf(folder)[0]?.done, gapsOf(folder)]).toMatchObject([
    11,
    [{ count: 1, reason: 'queue-full' }],
  ])
  const [segment] = segmentsOf(folder)
  giveUp(folder, disk, segment!, 11, 'refused')
  giveUp(folder, disk, segment!, 0, 'refused')
  expect([segmentsOf(folder)[0]?.done, gapsOf(folder).length]).toEqual([11, 1])
})

it('of a record that the server did not want 16 KiB are kept', () => {
  const folder = freshFolder()
  const around = aroundOf({ clientVersion: '1', home: folder })
  const disk = openDisk({ ...around, random: around.unique })
  const line = { bytes: Buffer.alloc(100_000, 'x'), end: 0 }
  refuse(folder, disk, NOW, [])
  expect(readdirSync(folder)).toEqual([])
  refuse(folder, disk, NOW, [{ code: 'bad_event', message: 'no', line }])
  const kept = JSON.parse(readFileSync(join(folder, 'refused.jsonl'), 'utf8'))
  expect(kept).toMatchObject({ at: at(NOW), code: 'bad_event', message: 'no', bytes: 100_000 })
  expect(kept.record).toBe('x'.repeat(16_384))
})

it('leaving waits for another process, and then changes nothing', async () => {
  const device = await freshDevice()
  writeFileSync(device.place.lock, JSON.stringify({ pid: process.pid, host: hostname(), token: 'x' }))
  let time = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 6000
    return time
  })
  try {
    const result = await leave({ ...device.around, sleep: async () => {} }, 'acme')
    expect(result).toMatchObject({ left: false, problem: { code: 'busy' } })
  } finally {
    clock.mockRestore()
  }
  expect(device.server.left).toBe(0)
  expect(readStatus(device.around, 'acme')).toBeDefined()
})

it.each([
  [401, 'unauthorized', undefined],
  [403, 'unauthorized', undefined],
  [500, 'server', undefined],
  [503, 'server', 7000],
])('a held poll that is answered with %i fails as %s', async (status, code, waitMs) => {
  const device = await freshDevice()
  device.server.misbehave = (_, response) => {
    response.writeHead(status, status === 503 ? { 'retry-after': '7' } : {}).end()
    return true
  }
  const enrolment = loadEnrolment(device.place)!
  const request = { trustVersion: 0, haveSha256: [], leaseSeq: 0 } as const
  const failed = fetchHooks(device.around, enrolment, request, { etag: '"x"', holdSeconds: 50 })
  await expect(failed).rejects.toMatchObject({ code, waitMs })
})

describe('an answer of the server', () => {
  async function answered(
    status: number,
    body: Buffer,
    type: string,
  ): Promise<{ code: string; status: number; message?: string }> {
    const server = createServer((_, response) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const address = { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
      const around = { patienceMs: 60_000, now: () => NOW }
      return await call(around, address, DeviceService.method.report, {}).then(
        ({ kind }) => ({ code: kind, status: 200 }),
        (error: CallError) => error,
      )
    } finally {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  }

  it.each([
    ['as it should be', 200, 0, 'application/proto', 'answer'],
    ['with more than 4 MiB', 200, 4 * 1024 * 1024 + 1, 'application/proto', 'larger than'],
    ['that nothing changed, which nobody asked', 304, 0, 'application/proto', '304'],
    ['of another type', 200, 0, 'application/json', 'application/json'],
    ['of a longer type', 200, 0, 'application/proto; charset=utf-8', 'charset'],
  ])('%s', async (_, status, size, type, expected) => {
    const result = await answered(status, Buffer.alloc(size), type)
    expect(result).toMatchObject({ code: 'answer', status })
    if (expected === 'answer') expect(result).not.toBeInstanceOf(Error)
    else expect(result.message).toContain(expected)
  })
})

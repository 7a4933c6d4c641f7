import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { placeOf } from '@holdfast/hooks/team'
import { describe, expect, it } from 'vitest'
import { DeviceService } from '../index.js'
import { at, DAY, hexOf, keys, NOW, testTeam } from '../signing/testing/team.js'
import { aroundOf, enrol, enrolledTeams, leave, pinOf, readStatus, sync } from './index.js'
import { cleanUp, freshDevice, freshFolder, freshServer, picture, publish } from './testing/device.js'
import type { TestServer } from './testing/server.js'

cleanUp()
const aroundAt = (home: string) =>
  aroundOf({ clientVersion: '1.2.3', home, now: () => NOW, patienceMs: 2000 })
const deviceIdIn = (home: string) =>
  (JSON.parse(readFileSync(join(home, '.cursor/managed/device.json'), 'utf8')) as { device_id: string })
    .device_id

describe('enrolment', () => {
  it('with a key pins what the key was made for', async () => {
    const server = await freshServer()
    const home = freshFolder()
    const result = await enrol(aroundAt(home), {
      server: `${server.url}/`,
      proof: { enrolmentKey: server.enrolmentKey },
    })
    expect(result).toMatchObject({
      ok: true,
      enrolment: {
        server: server.url,
        team_id: 'acme',
        team_name: 'Acme',
        group: 'laptops',
        fingerprint: server.team.fingerprint,
        device_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    })
    expect(enrolledTeams(home)).toEqual(['acme'])
    expect(readStatus(aroundAt(home), 'acme')).toMatchObject({
      state: 'no_bundle',
      trustVersion: 1,
      queued: 0,
    })
    expect(JSON.stringify(readStatus(aroundAt(home), 'acme'))).not.toContain(server.token)
    const files = picture(placeOf(home, 'acme').folder)
    expect(files['/enrolment.json']).toMatch(/^600 /)
    expect(files['/']).toBe('700')
  })

  it('a key with the first digits of the fingerprint is enough', () => {
    expect(pinOf(`hfe_a1_b2_${'0a'.repeat(12)}`)).toBe('0a'.repeat(12))
    expect(pinOf(`hfe_a1_b_-2_${'0a'.repeat(32)}`)).toBe('0a'.repeat(32))
    for (const bad of [
      '',
      'hfe_',
      `hfe_a_${'0a'.repeat(11)}`,
      `hfd_a_b_${'0a'.repeat(12)}`,
      `hfe_a_b_${'0A'.repeat(12)}`,
    ])
      expect(pinOf(bad)).toBeUndefined()
  })

  it('by a person asks before anything is kept', async () => {
    const server = await freshServer()
    const home = freshFolder()
    const asked: string[] = []
    const answer = (yes: boolean) =>
      enrol(aroundAt(home), {
        server: server.url,
        proof: { accessToken: 'person' },
        confirm: async ({ name, fingerprint }) => {
          asked.push(`${name} ${fingerprint}`)
          expect(existsSync(placeOf(home, 'acme').folder)).toBe(false)
          return yes
        },
      })
    expect(await answer(false)).toEqual({ ok: false, declined: true })
    expect(server.left).toBe(1)
    expect(enrolledTeams(home)).toEqual([])
    expect(await answer(true)).toMatchObject({ ok: true })
    expect(asked).toEqual(Array(2).fill(`Acme ${server.team.fingerprint}`))
  })

  it('another team than the key was made for is refused, and receives the refusal', async () => {
    const server = await freshServer()
    const home = freshFolder()
    const wrong = `hfe_1_secret_${testTeam().fingerprint}`
    ;(server as { enrolmentKey: string }).enrolmentKey = wrong
    expect(await enrol(aroundAt(home), { server: server.url, proof: { enrolmentKey: wrong } })).toMatchObject(
      {
        ok: false,
        problem: { code: 'trust' },
      },
    )
    expect(server.left).toBe(1)
    expect(readdirSync(join(home, '.cursor/managed'))).toEqual(['device.json'])
  })

  it.each([
    [
      'a wrong key',
      (url: string) => ({ server: url, proof: { enrolmentKey: `hfe_1_x_${'0'.repeat(64)}` } }),
      'unauthorized',
    ],
    ['no key', (url: string) => ({ server: url, proof: { enrolmentKey: 'secret' } }), 'enrolment'],
    ['no address', () => ({ server: 'example', proof: { accessToken: 'x' } }), 'enrolment'],
    [
      'an address with a password',
      () => ({ server: 'http://a:b@c', proof: { accessToken: 'x' } }),
      'enrolment',
    ],
    ['an address with a user', () => ({ server: 'http://a@c', proof: { accessToken: 'x' } }), 'enrolment'],
    ['an address with a query', () => ({ server: 'http://a/?b', proof: { accessToken: 'x' } }), 'enrolment'],
    [
      'an address with a fragment',
      () => ({ server: 'http://a/#b', proof: { accessToken: 'x' } }),
      'enrolment',
    ],
    ['an address of a file', () => ({ server: 'file:///etc', proof: { accessToken: 'x' } }), 'enrolment'],
    ['nobody there', () => ({ server: 'http://127.0.0.1:1', proof: { accessToken: 'x' } }), 'offline'],
  ])('%s', async (_, options, code) => {
    const server = await freshServer()
    const home = freshFolder()
    expect(await enrol(aroundAt(home), options(server.url))).toMatchObject({ ok: false, problem: { code } })
    expect(enrolledTeams(home)).toEqual([])
  })

  it('a server whose keys do not hold is refused', async () => {
    const server = await freshServer()
    const home = freshFolder()
    server.team.chain.push(server.team.next({ version: 5 }))
    const proof = { enrolmentKey: server.enrolmentKey }
    expect(await enrol(aroundAt(home), { server: server.url, proof })).toMatchObject({
      problem: { code: 'trust' },
    })
    expect(enrolledTeams(home)).toEqual([])
  })

  describe('an answer of the server', () => {
    type Said = MessageInitShape<typeof DeviceService.method.enrol.output>
    /** Enrols with a server that gives this answer; the rest of it is as it should be. */
    async function enrolWith(change: (server: TestServer) => Said) {
      const server = await freshServer()
      const home = freshFolder()
      const { output } = DeviceService.method.enrol
      server.misbehave = (request, response) => {
        if (!request.url?.endsWith('/Enrol')) return false
        const said = {
          teamId: 'acme',
          teamName: 'Acme',
          token: server.token,
          tokenExpiresAt: at(NOW + 90 * DAY),
          trust: server.team.chain.map(one => ({ ...one, signatures: [...one.signatures] })),
          group: 'laptops',
          ...change(server),
        }
        response.writeHead(200, { 'content-type': 'application/proto' })
        response.end(toBinary(output, create(output, said as Said)))
        return true
      }
      const proof = { enrolmentKey: server.enrolmentKey }
      const result = await enrol(aroundAt(home), { server: server.url, proof })
      return { result, home, server }
    }

    it.each([
      ['no team', 'answer', () => ({ teamId: '' })],
      ['a team id that leaves the folder', 'answer', () => ({ teamId: '../../x' })],
      ['a team id that is a path', 'answer', () => ({ teamId: 'a/b' })],
      ['a team id that ends with a dot', 'answer', () => ({ teamId: 'acme.' })],
      ['no token', 'answer', () => ({ token: '' })],
      ['no keys', 'answer', () => ({ trust: [] })],
      ['the id of another team than its keys', 'team', () => ({ teamId: 'other' })],
      [
        'the keys of another team',
        'trust',
        () => ({ trust: testTeam().chain.map(one => ({ ...one, signatures: [] })) }),
      ],
    ])('with %s is refused', async (_, code, change) => {
      const { result, home, server } = await enrolWith(change as () => Said)
      expect(result).toMatchObject({ ok: false, problem: { code } })
      expect(readdirSync(join(home, '.cursor/managed'))).toEqual(['device.json'])
      expect(readdirSync(home)).toEqual(['.cursor'])
      expect(server.calls.filter(call => call.startsWith('Leave'))).toHaveLength(1)
    })

    it.each(['', 'soon', '2030-02-30T00:00:00Z'])(
      'with the end %j of its token counts for 90 days',
      async tokenExpiresAt => {
        const { result, home } = await enrolWith(() => ({ tokenExpiresAt }))
        expect(result).toMatchObject({ ok: true, enrolment: { token_until: at(NOW + 90 * DAY) } })
        expect(enrolledTeams(home)).toEqual(['acme'])
      },
    )
  })

  it('again keeps every trust version that the machine has seen', async () => {
    const device = await freshDevice()
    const { team } = device.server
    const other = team.next({ release_keys: [hexOf(keys().publicKey)] })
    for (const _ of [2, 3]) team.chain.push(team.next({}))
    publish(device.server, 1)
    await device.sync()
    const before = picture(device.place.trust)
    expect(Object.keys(before).sort()).toEqual(['/', '/1.json', '/2.json', '/3.json'])
    // Also signed by the root, and shorter.
    team.chain.splice(1, 2, other)
    const proof = { enrolmentKey: device.server.enrolmentKey }
    expect(await enrol(device.around, { server: device.server.url, proof })).toMatchObject({ ok: true })
    expect(picture(device.place.trust)).toEqual(before)
    expect(readStatus(device.around, 'acme')).toMatchObject({ trustVersion: 3 })
  })

  it('again adds the trust versions that are new', async () => {
    const device = await freshDevice()
    const { team } = device.server
    for (const _ of [2, 3]) team.chain.push(team.next({}))
    const proof = { enrolmentKey: device.server.enrolmentKey }
    expect(await enrol(device.around, { server: device.server.url, proof })).toMatchObject({ ok: true })
    expect(readStatus(device.around, 'acme')).toMatchObject({ trustVersion: 3 })
  })

  it('again asks and reports everything again', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    device.server.calls.length = 0
    await device.sync()
    expect(device.server.calls).toEqual(['GetTeamHooks 304'])
    const proof = { enrolmentKey: device.server.enrolmentKey }
    await enrol(device.around, { server: device.server.url, proof })
    device.server.calls.length = 0
    await device.sync()
    expect(device.server.calls).toEqual(['GetTeamHooks 200', 'Report 200'])
  })

  it('once more with the same team keeps what is there; other keys under the same name are refused', async () => {
    const device = await freshDevice()
    publish(device.server, 4)
    await device.sync()
    const proof = { enrolmentKey: device.server.enrolmentKey }
    expect(await enrol(device.around, { server: device.server.url, proof })).toMatchObject({
      ok: true,
      hasNewId: false,
    })
    expect(readStatus(device.around, 'acme')).toMatchObject({ inForce: { release: 4 } })
    publish(device.server, 3)
    expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'downgrade' } })
    const other = await freshServer()
    const result = await enrol(device.around, {
      server: other.url,
      proof: { enrolmentKey: other.enrolmentKey },
    })
    expect(result).toMatchObject({ ok: false, problem: { code: 'trust' } })
    expect(readStatus(device.around, 'acme')).toMatchObject({ inForce: { release: 4 } })
  })

  it('the id of a device is made once, also by several at the same time', async () => {
    const server = await freshServer()
    const home = freshFolder()
    const options = { server: server.url, proof: { enrolmentKey: server.enrolmentKey } }
    const results = await Promise.all([1, 2, 3, 4].map(() => enrol(aroundAt(home), options)))
    const ids = results.map(result => result.ok && result.enrolment.device_id)
    expect(new Set(ids)).toEqual(new Set([deviceIdIn(home)]))
    await enrol(aroundAt(home), options)
    expect(deviceIdIn(home)).toBe(ids[0])
    writeFileSync(join(home, '.cursor/managed/device.json'), '{"device_id":"../../x"}')
    await enrol(aroundAt(home), options)
    expect(deviceIdIn(home)).toMatch(/^[0-9a-f]{32}$/)
    expect(readdirSync(join(home, '.cursor/managed')).sort()).toEqual([
      'device.json',
      'enrolled_acme',
      'team_acme',
    ])
  })

  describe('an id that another device has', () => {
    const taken = (server: Awaited<ReturnType<typeof freshServer>>, times: number) => {
      const ids: string[] = []
      server.misbehave = (request, response) => {
        if (!request.url?.endsWith('/Enrol')) return false
        if (ids.length >= times) return false
        ids.push('')
        const error = { code: 'already_exists', message: 'Another device of the team has this device_id.' }
        response.writeHead(409, { 'content-type': 'application/json' }).end(JSON.stringify(error))
        return true
      }
      return ids
    }

    it('is given up for a new one, once', async () => {
      const device = await freshDevice()
      const before = deviceIdIn(device.home)
      taken(device.server, 1)
      const proof = { enrolmentKey: device.server.enrolmentKey }
      const result = await enrol(device.around, { server: device.server.url, proof })
      expect(result).toMatchObject({ ok: true, hasNewId: true })
      expect(deviceIdIn(device.home)).not.toBe(before)
      expect(result.ok && result.enrolment.device_id).toBe(deviceIdIn(device.home))
      publish(device.server, 1)
      expect(await device.sync()).toMatchObject({ kind: 'updated' })
    })

    it('is not tried forever', async () => {
      const server = await freshServer()
      const home = freshFolder()
      const tries = taken(server, 10)
      const proof = { enrolmentKey: server.enrolmentKey }
      expect(await enrol(aroundAt(home), { server: server.url, proof })).toMatchObject({
        ok: false,
        problem: { code: 'server', message: expect.stringContaining('Another device') },
      })
      expect(tries).toHaveLength(2)
      expect(enrolledTeams(home)).toEqual([])
    })
  })

  it('a link in the place of the folder is refused', async () => {
    const server = await freshServer()
    const [home, elsewhere] = [freshFolder(), freshFolder()]
    const around = aroundAt(home)
    await enrol(around, { server: server.url, proof: { enrolmentKey: `hfe_1_x_${'0'.repeat(64)}` } })
    symlinkSync(elsewhere, placeOf(home, 'acme').folder)
    expect(
      await enrol(around, { server: server.url, proof: { enrolmentKey: server.enrolmentKey } }),
    ).toMatchObject({ ok: false, problem: { code: 'tampered' } })
    expect(readdirSync(elsewhere)).toEqual([])
  })
})

describe('leaving', () => {
  it('takes all away, and tells the server', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    writeFileSync(join(device.place.queue, 'active.jsonl'), '{"id":"a"}\n{"id":"b"}\n')
    expect(await leave(device.around, 'acme')).toEqual({ left: true, unsent: 2 })
    expect(device.server.left).toBe(1)
    expect(readdirSync(device.place.managed)).toEqual(['device.json'])
    expect(enrolledTeams(device.home)).toEqual([])
    expect(await sync(device.around, 'acme')).toMatchObject({ problem: { code: 'enrolment' } })
  })

  it('does not move what a link leads to', async () => {
    const device = await freshDevice()
    const elsewhere = freshFolder()
    writeFileSync(join(elsewhere, 'kept'), '')
    rmSync(device.place.store, { recursive: true, force: true })
    symlinkSync(elsewhere, device.place.store)
    expect(await leave(device.around, 'acme')).toMatchObject({ left: true })
    expect(readdirSync(elsewhere)).toEqual(['kept'])
    expect(enrolledTeams(device.home)).toEqual([])
  })

  it('works on a machine whose folder of the team was removed', async () => {
    const device = await freshDevice()
    rmSync(device.place.folder, { recursive: true })
    expect(await leave(device.around, 'acme')).toMatchObject({ left: true })
    expect(device.server.left).toBe(1)
    expect(readdirSync(device.place.managed)).toEqual(['device.json'])
  })

  it('works without the server, and says that it does not know', async () => {
    const device = await freshDevice()
    await device.server.close()
    expect(await leave(device.around, 'acme')).toMatchObject({ left: true, problem: { code: 'offline' } })
    expect(readdirSync(device.place.managed)).toEqual(['device.json'])
    mkdirSync(join(device.place.managed, '.left-before'))
    expect(await leave(device.around, 'acme')).toMatchObject({ left: false, problem: { code: 'enrolment' } })
    expect(readdirSync(device.place.managed)).toEqual(['device.json'])
  })
})

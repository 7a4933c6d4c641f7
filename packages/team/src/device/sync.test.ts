import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { DeviceService, type Envelope, sha256, signEnvelope, writeEnvelope, writeHead } from '../index.js'
import { at, bytesOf, commandHook, DAY, hexOf, keys, NOW, testTeam } from '../signing/testing/team.js'
import { enrol, readStatus, sync } from './index.js'
import {
  cleanUp,
  freshDevice,
  freshFolder,
  picture,
  publish,
  scriptOf,
  setPicture,
} from './testing/device.js'

cleanUp()
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('a sync', () => {
  it('brings the first hooks, which the engine runs', async () => {
    const device = await freshDevice()
    const release = publish(device.server, 3)
    const result = await device.sync()
    expect(result).toMatchObject({
      kind: 'updated',
      first: true,
      warnings: [],
      inForce: { release: 3, hash: sha256(release.payload), hooks: 1, killed: false },
    })
    const { events, issues, commands } = await device.engine()
    expect(events).toEqual(['beforeShellExecution'])
    expect(issues).toEqual([])
    expect(commands[0]).toMatch(/guard\.sh$/)
    expect(device.server.reports).toMatchObject([
      { release: 3, state: 'in_sync', trustVersion: 1, problems: [], facts: { clientVersion: '1.2.3' } },
    ])
  })

  it('writes what the engine reads, with modes for the user only', async () => {
    const device = await freshDevice({ platform: 'linux' })
    const command = commandHook(
      {
        id: 4,
        revision: 2,
        mode: 'observe',
        matcher: 'rm',
        timeout: 2.5,
        fail_closed: true,
        loop_limit: null,
      },
      scriptOf('x'),
    )
    const prompt = {
      ...commandHook({ id: 5, type: 'prompt', prompt: 'ok?', model: 'm' }),
      script_name: undefined,
      sha256: undefined,
      size: undefined,
    } as never
    const other = commandHook({ id: 6, script_name: 'w.cmd', operating_systems: ['Windows'] }, 'other')
    const release = publish(device.server, 3, { hooks: [command, prompt, other], records: 'all' })
    device.server.offer = { release, scripts: [scriptOf('x')] }
    await device.sync()
    const folder = join(device.place.store, `3-${sha256(release.payload).slice(0, 16)}`)
    expect(readdirSync(folder).sort()).toEqual(['guard.sh', 'lease.json', 'manifest.json', 'release.json'])
    expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).toEqual({
      team: 'acme',
      release: 3,
      records: 'all',
      queue: '../../queue',
      hooks: [
        {
          id: 4,
          revision: 2,
          hook_step: 'beforeShellExecution',
          type: 'command',
          mode: 'observe',
          operating_systems: [],
          script_name: 'guard.sh',
          sha256: command.sha256,
          matcher: 'rm',
          timeout: 2.5,
          fail_closed: true,
          loop_limit: null,
          is_active: true,
        },
        {
          id: 5,
          revision: 1,
          hook_step: 'beforeShellExecution',
          type: 'prompt',
          mode: 'enforce',
          operating_systems: [],
          prompt: 'ok?',
          model: 'm',
          is_active: true,
        },
      ],
    })
    expect(modeOf(join(folder, 'guard.sh'))).toBe('500')
    expect(modeOf(join(folder, 'manifest.json'))).toBe('400')
    for (const path of [device.place.folder, device.place.store, folder, device.place.queue])
      expect(modeOf(path)).toBe('700')
    for (const path of [device.place.enrolment, device.place.state, device.place.device])
      expect(modeOf(path)).toBe('600')
    for (const name of ['release.json', 'lease.json']) expect(modeOf(join(folder, name))).toBe('400')
    expect(modeOf(join(device.place.trust, '1.json'))).toBe('400')
  })

  it('asks whether anything changed, and nothing did', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    const before = setPicture(device.place)
    device.server.calls.length = 0
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', first: false, inForce: { release: 1 } })
    expect(device.server.calls).toEqual(['GetTeamHooks 304'])
    expect(setPicture(device.place)).toEqual(before)
  })

  it('asks for a fresh lease when half of the old one is over', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    device.server.calls.length = 0
    await device.sync({ now: () => NOW + 3 * DAY })
    await device.sync({ now: () => NOW + 4 * DAY })
    expect(device.server.calls).toEqual(['GetTeamHooks 304', 'GetTeamHooks 200'])
  })

  it('takes what is newer, and keeps the set before for who still holds it', async () => {
    const device = await freshDevice()
    for (const number of [1, 2, 3]) {
      publish(device.server, number)
      expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: number } })
    }
    expect(
      readdirSync(device.place.store)
        .map(name => name.split('-')[0])
        .sort(),
    ).toEqual(['2', '3'])
    expect(readFileSync(join(device.place.hooks, 'guard.sh'), 'utf8')).toBe(scriptOf('release 3'))
  })

  it('is sent no script that it has', async () => {
    const device = await freshDevice()
    const release = publish(device.server, 1)
    await device.sync()
    const again = publish(device.server, 2, { hooks: [commandHook({}, scriptOf('release 1'))] })
    expect(again).not.toEqual(release)
    device.server.offer = { release: again, scripts: [] }
    expect(await device.sync()).toMatchObject({ kind: 'updated' })
  })

  it('asks for a script that was named before, but for other systems only', async () => {
    const device = await freshDevice({ platform: 'linux' })
    const hook = commandHook({}, scriptOf('x'))
    const windows = publish(device.server, 1, { hooks: [{ ...hook, operating_systems: ['Windows'] }] })
    device.server.offer = { release: windows, scripts: [] }
    await device.sync()
    const all = publish(device.server, 2, { hooks: [hook] })
    device.server.offer = { release: all, scripts: [scriptOf('x')] }
    expect(await device.sync()).toMatchObject({ kind: 'updated' })
  })

  it('that is broken off leaves no problem behind', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    device.server.misbehave = () => true
    const stop = new AbortController()
    const running = sync(device.around, 'acme', { signal: stop.signal })
    setTimeout(() => stop.abort(), 50)
    expect(await running).toMatchObject({ kind: 'failed', inForce: { release: 1 } })
    expect(readStatus(device.around, 'acme')?.problem).toBeNull()
  })

  it('follows the keys of the team', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    const fresh = keys()
    const { team } = device.server
    for (let count = 0; count < 5; count++) team.chain.push(team.next({}))
    team.chain.push(team.next({ release_keys: [hexOf(fresh.publicKey)] }))
    const release = team.release({ release: 2 }, fresh.privateKey)
    device.server.offer = { release }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 2 } })
    expect(readdirSync(device.place.trust)).toHaveLength(7)
    expect(readStatus(device.around, 'acme')).toMatchObject({ trustVersion: 7, state: 'in_sync' })
  })

  it('keeps new keys even if the release beside them is refused', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    const { team } = device.server
    const stolen = publish(device.server, 2)
    team.chain.push(team.next({ release_keys: [hexOf(keys().publicKey)] }))
    expect(await device.sync()).toMatchObject({
      kind: 'refused',
      problem: { code: 'key' },
      inForce: { release: 1 },
    })
    // The older chain does not bring the stolen key back.
    device.server.offer = { release: stolen, scripts: [scriptOf('release 2')], trust: [] }
    expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'key' } })
  })

  it('obeys the orders of a lease: hold, revert, kill, and back', async () => {
    const device = await freshDevice()
    const { server } = device
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: undefined })
    const one = publish(server, 1)
    await device.sync()
    const two = publish(server, 2, { may_revert_to: [sha256(one.payload)] })
    await device.sync()
    server.offer = { lease: { order: 'hold' } }
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: { release: 2 } })
    server.offer = { release: one, lease: { order: 'revert' } }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
    server.offer = { lease: { order: 'kill' } }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { killed: true, hooks: 0 } })
    expect(await device.engine()).toMatchObject({ events: [], issues: ['config/required-missing'] })
    expect(server.reports.at(-1)).toMatchObject({ state: 'killed' })
    const names = readdirSync(device.place.store)
    server.offer = { lease: { order: 'kill', ring: 'x' } }
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: { killed: true } })
    expect(readdirSync(device.place.store)).toEqual(names)
    server.offer = { release: two, scripts: [scriptOf('release 2')] }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 2, killed: false } })
    expect((await device.engine()).events).toHaveLength(1)
  })

  it('is a witness of the log of the admins', async () => {
    const device = await freshDevice()
    const { server } = device
    const { team } = server
    const release = publish(server, 1)
    const head = (seq: number, hash: string, key = team.leaseKey, team_id = 'acme') =>
      writeEnvelope(
        signEnvelope('head', writeHead({ team_id, seq, hash: hash.repeat(64), at: at(NOW) }), key.privateKey),
      )
    const warningsWith = async (audit_head: ReturnType<typeof head>, ring: string) => {
      server.offer = { release, scripts: [scriptOf('release 1')], lease: { audit_head, ring } }
      const result = await device.sync()
      expect(result.inForce).toMatchObject({ release: 1 })
      return result.warnings.map(({ code }) => code)
    }
    expect(await warningsWith(head(5, 'a'), '1')).toEqual([])
    expect(await warningsWith(head(5, 'a'), '2')).toEqual([])
    expect(await warningsWith(head(5, 'b'), '3')).toEqual(['audit'])
    expect(await warningsWith(head(4, 'c'), '4')).toEqual(['audit'])
    expect(await warningsWith(head(9, 'd', team.releaseKey), '5')).toEqual(['audit'])
    expect(await warningsWith(head(9, 'd', team.root), '5a')).toEqual(['audit'])
    expect(await warningsWith(head(9, 'd', team.leaseKey, 'other'), '5b')).toEqual(['audit'])
    const unreadable = writeEnvelope(signEnvelope('head', bytesOf('{}'), team.leaseKey.privateKey))
    expect(await warningsWith(unreadable, '5c')).toEqual(['audit'])
    expect(await warningsWith(head(6, 'e'), '6')).toEqual([])
    expect(await warningsWith(head(5, 'a'), '7')).toEqual(['audit'])
    expect(server.reports.some(({ problems }) => problems.some(({ code }) => code === 'audit'))).toBe(true)
  })
})

describe('what is refused', () => {
  const other = testTeam('acme')
  const long = Array.from({ length: 501 }, (_, id) => commandHook({ id: id + 1, script_name: `s${id}` }, 'x'))
  const cases: [string, string, (team: ReturnType<typeof testTeam>) => object][] = [
    [
      'size',
      'a lease beyond its size',
      team => ({ lease: { ring: 'x'.repeat(100), audit_head: big(team) } }),
    ],
    ['form', 'a release without a signature', team => ({ release: { ...team.release(), signatures: [] } })],
    ['type', 'a lease in the place of a release', team => ({ release: team.lease(undefined) })],
    ['key', 'a release signed by another key', team => ({ release: team.release({}, keys().privateKey) })],
    ['key', 'a release of another team', () => ({ release: other.release({ release: 9 }) })],
    ['signature', 'an altered release', team => ({ release: altered(team.release({ release: 9 })) })],
    ['team', 'a release for another team', team => ({ release: team.release({ team_id: 'b', release: 9 }) })],
    ['trust', 'a gap in the chain', team => ({ trust: [gap(team)] })],
    ['lease', 'a lease for another device', () => ({ lease: { device_id: 'f'.repeat(32) } })],
    ['lease', 'a lease that is over', () => ({ lease: { not_after: at(NOW - DAY) } })],
    ['downgrade', 'an older release', team => ({ release: team.release({ release: 4 }) })],
    ['downgrade', 'another release of the same number', team => ({ release: team.release({ release: 5 }) })],
    [
      'expired',
      'an expired release',
      team => ({ release: team.release({ release: 9, expires_at: at(NOW - 1) }) }),
    ],
    ['names', 'a name that leaves the folder', team => ({ release: named(team, '../../.bashrc') })],
    ['names', 'an absolute name', team => ({ release: named(team, '/etc/passwd') })],
    ['names', 'NUL in a name', team => ({ release: named(team, 'a\0b') })],
    ['names', 'a device of Windows', team => ({ release: named(team, 'NUL.sh') })],
    ['limits', 'too many hooks', team => ({ release: team.release({ release: 9, hooks: long }) })],
    ['scripts', 'other bytes', team => ({ release: named(team, 'ok.sh'), scripts: ['other bytes'] })],
    ['scripts', 'no bytes', team => ({ release: named(team, 'ok.sh'), scripts: [] })],
  ]
  const big = (team: ReturnType<typeof testTeam>) =>
    writeEnvelope(signEnvelope('head', bytesOf('x'.repeat(80_000)), team.leaseKey.privateKey))
  const altered = (one: Envelope) => ({
    ...one,
    payload: bytesOf(Buffer.from(one.payload).toString().replace('managed', 'all')),
  })
  const gap = (team: ReturnType<typeof testTeam>) => team.next({ version: 7 })
  const named = (team: ReturnType<typeof testTeam>, script_name: string) =>
    team.release({ release: 9, hooks: [commandHook({ script_name }, scriptOf('evil'))] })

  it.each(cases)('%s: %s', async (code, _, offer) => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const before = setPicture(device.place)
    const stored = readdirSync(device.place.store)
    device.server.offer = {
      release: device.server.team.release({ release: 9 }),
      ...offer(device.server.team),
    }
    expect(await device.sync()).toMatchObject({
      kind: 'refused',
      problem: { code, message: expect.stringMatching(/^[A-Z].*\.$/) },
      inForce: { release: 5 },
    })
    expect(setPicture(device.place)).toEqual(before)
    expect(readdirSync(device.place.store)).toEqual(stored)
    expect(readdirSync(device.home)).toEqual(['.cursor'])
    expect((await device.engine()).events).toHaveLength(1)
    expect(readStatus(device.around, 'acme')?.problem).toMatchObject({ code })
    expect(device.server.reports.at(-1)?.problems).toMatchObject([{ code }])
    // And the next good one is taken as if nothing had been, and the report has no problem.
    publish(device.server, 10)
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 10 } })
    expect(device.server.reports.at(-1)?.problems).toEqual([])
  })

  it('nothing is written for a device that has nothing yet', async () => {
    const device = await freshDevice()
    device.server.offer = { release: named(device.server.team, '../../.bashrc'), scripts: [scriptOf('evil')] }
    expect(await device.sync()).toMatchObject({ kind: 'refused', inForce: undefined })
    expect(existsSync(device.place.store)).toBe(false)
    expect(existsSync(device.place.hooks)).toBe(false)
  })

  it('an older release after the state was deleted', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const reverted = publish(device.server, 6)
    await device.sync()
    for (const broken of [undefined, '', '{', '[]', '{"mark":{}}', '\0'.repeat(1000)]) {
      rmSync(device.place.state)
      if (broken !== undefined) writeFileSync(device.place.state, broken)
      publish(device.server, 4)
      expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'downgrade' } })
    }
    device.server.offer = { release: reverted }
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: { release: 6 } })
  })

  it('a chain of trust that ends earlier than before, after the chain was deleted', async () => {
    const device = await freshDevice()
    const { server } = device
    publish(server, 1)
    for (let count = 0; count < 2; count++) server.team.chain.push(server.team.next({}))
    await device.sync()
    rmSync(device.place.trust, { recursive: true })
    server.offer = { ...server.offer, trust: [] }
    expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'trust' } })
    server.offer = { ...server.offer, trust: server.team.chain.slice(0, 2) }
    expect(await device.sync()).toMatchObject({ kind: 'refused', problem: { code: 'trust' } })
    expect((await device.engine()).issues).toContain('config/manifest-unverified')
    server.offer = { ...server.offer, trust: server.team.chain.slice(2) }
    expect(await device.sync()).toMatchObject({ kind: 'unchanged', inForce: { release: 1 } })
  })
})

describe('a server that does not answer as it should', () => {
  const html = '<html><body>Welcome to the hotel</body></html>'
  it.each([
    [
      '401',
      'unauthorized',
      (r: Response_) => r.writeHead(401).end('{"code":"unauthenticated","message":"no"}'),
    ],
    ['403', 'unauthorized', (r: Response_) => r.writeHead(403).end()],
    ['404', 'answer', (r: Response_) => r.writeHead(404).end('not here')],
    ['500', 'server', (r: Response_) => r.writeHead(500).end('{"code":"internal","message":"oh"}')],
    ['503', 'server', (r: Response_) => r.writeHead(503, { 'retry-after': '7' }).end()],
    ['a redirect', 'answer', (r: Response_) => r.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['HTML', 'answer', (r: Response_) => r.writeHead(200, { 'content-type': 'text/html' }).end(html)],
    [
      'HTML as proto',
      'answer',
      (r: Response_) => r.writeHead(200, { 'content-type': 'application/proto' }).end(html),
    ],
    ['204', 'answer', (r: Response_) => r.writeHead(204).end()],
    [
      'half an answer',
      'offline',
      (r: Response_) => {
        r.writeHead(200, { 'content-type': 'application/proto', 'content-length': '1000' })
        r.write('x')
        setTimeout(() => r.destroy(), 20)
      },
    ],
    ['no answer', 'offline', (r: Response_) => r.destroy()],
    ['silence', 'offline', () => {}],
    [
      'an endless answer',
      'answer',
      (r: Response_) => {
        r.writeHead(200, { 'content-type': 'application/proto' })
        const part = Buffer.alloc(4 * 1024 * 1024)
        const more = () => r.destroyed || r.write(part, more)
        more()
      },
    ],
  ])('%s: hooks stay', async (_, code, answer) => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const before = setPicture(device.place)
    device.server.misbehave = (_request, response) => {
      answer(response)
      return true
    }
    const result = await device.sync(code === 'offline' ? { patienceMs: 60 } : {})
    expect(result).toMatchObject({ kind: 'failed', problem: { code }, inForce: { release: 5 } })
    expect(setPicture(device.place)).toEqual(before)
    expect((await device.engine()).events).toHaveLength(1)
    device.server.misbehave = undefined
    publish(device.server, 6)
    expect(await device.sync()).toMatchObject({ kind: 'updated' })
    expect(readStatus(device.around, 'acme')?.problem).toBeNull()
  })

  it('an empty answer is refused: hooks stay', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    device.server.misbehave = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/proto' }).end()
      return true
    }
    expect(await device.sync()).toMatchObject({
      kind: 'refused',
      problem: { code: 'form' },
      inForce: { release: 5 },
    })
  })

  it('nobody there, for days: the last good set holds, and is called stale', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    await device.server.close()
    const now = () => NOW + 400 * DAY
    expect(await device.sync({ now })).toMatchObject({
      kind: 'failed',
      problem: { code: 'offline' },
      inForce: { release: 5 },
    })
    expect(readStatus({ ...device.around, now }, 'acme')).toMatchObject({
      state: 'stale',
      problem: { code: 'offline' },
    })
    expect((await device.engine()).events).toHaveLength(1)
  })

  it('shows no control characters of its message, and not more of it than is useful', async () => {
    const device = await freshDevice()
    const message = `a\u001b[2Jb\u009bc\u007fd\n${'x'.repeat(1000)}`
    device.server.misbehave = (_, response) => {
      response.writeHead(500).end(JSON.stringify({ code: 'internal', message }))
      return true
    }
    const { problem } = await device.sync()
    expect(problem?.message).toMatch(/^The server answered 500: a \[2Jb c d x+\.$/)
    expect(problem?.message.length).toBeLessThan(400)
  })

  it('says how long the server wants to be left alone', async () => {
    const device = await freshDevice()
    device.server.misbehave = (_, response) => {
      response.writeHead(429, { 'retry-after': '12' }).end()
      return true
    }
    expect(await device.sync()).toMatchObject({ kind: 'failed', waitMs: 12_000 })
  })
})

describe('what others do to the folder', () => {
  it('a link that leads elsewhere is put right, also without a network', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const before = setPicture(device.place)
    const evil = freshFolder()
    writeFileSync(join(evil, 'manifest.json'), '{"hooks":[]}')
    await device.server.close()
    for (const target of [evil, 'store/../../../x', 'store', '.', 'store/none', '/']) {
      unlinkSync(device.place.hooks)
      symlinkSync(target, device.place.hooks)
      const result = await device.sync()
      expect(result).toMatchObject({ kind: 'failed', inForce: { release: 5 } })
      expect(result.warnings).toMatchObject([{ code: 'tampered' }])
      expect(setPicture(device.place)).toEqual(before)
    }
    expect(readdirSync(evil)).toEqual(['manifest.json'])
  })

  it('a folder or a file in the place of the link, and no link at all', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const before = setPicture(device.place)
    for (const put of [
      () => {
        mkdirSync(device.place.hooks)
        writeFileSync(join(device.place.hooks, 'manifest.json'), '{"hooks":[]}')
      },
      () => writeFileSync(device.place.hooks, 'x'),
      () => {},
    ]) {
      unlinkSync(device.place.hooks)
      put()
      expect(await device.sync()).toMatchObject({ warnings: [{ code: 'tampered' }], inForce: { release: 5 } })
      expect(setPicture(device.place)).toEqual(before)
      expect(await device.sync()).toMatchObject({ warnings: [], kind: 'unchanged' })
    }
    expect(readdirSync(device.place.folder).sort()).toEqual([
      'enrolment.json',
      'hooks',
      'queue',
      'state.json',
      'store',
      'trust',
    ])
  })

  it.each(['manifest.json', 'guard.sh', 'release.json', 'lease.json'])(
    'a changed %s is put right',
    async name => {
      const device = await freshDevice()
      publish(device.server, 5)
      await device.sync()
      const file = join(device.place.hooks, name)
      rmSync(file)
      writeFileSync(file, 'changed', { mode: 0o700 })
      const result = await device.sync()
      expect(result.inForce).toMatchObject({ release: 5 })
      expect((await device.engine()).events).toHaveLength(1)
      if (name !== 'lease.json')
        expect(readFileSync(join(device.place.hooks, name), 'utf8')).not.toBe('changed')
      expect(readdirSync(device.place.store).length).toBeLessThan(3)
      expect(await device.sync()).toMatchObject({ kind: 'unchanged', warnings: [], inForce: { release: 5 } })
    },
  )

  it('the deleted store comes again from the server', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    rmSync(device.place.store, { recursive: true })
    expect(await device.sync()).toMatchObject({ kind: 'updated', first: false, inForce: { release: 5 } })
    expect((await device.engine()).events).toHaveLength(1)
  })

  it('links in the place of folders are replaced, and nothing is written through them', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    const { store, trust, queue, folder } = device.place
    for (const path of [store, trust, queue, folder]) {
      const elsewhere = freshFolder()
      rmSync(path, { recursive: true })
      symlinkSync(elsewhere, path)
      const result = await device.sync()
      expect(result).toMatchObject({ inForce: { release: 5 }, warnings: [{ code: 'tampered' }] })
      expect(readdirSync(elsewhere)).toEqual([])
      expect(await device.engine()).toMatchObject({ events: [expect.any(String)], issues: [] })
    }
  })

  it('a link in the place of the folder of all teams is refused', async () => {
    const device = await freshDevice()
    const elsewhere = freshFolder()
    rmSync(device.place.managed, { recursive: true })
    symlinkSync(elsewhere, device.place.managed)
    expect(await device.sync()).toMatchObject({ kind: 'failed', problem: { code: 'tampered' } })
    expect(readdirSync(elsewhere)).toEqual([])
  })

  it('a removed enrolment, or the folder of the team as a whole, is restored', async () => {
    const device = await freshDevice()
    publish(device.server, 5)
    await device.sync()
    for (const path of [device.place.enrolment, device.place.enrolled, device.place.folder]) {
      rmSync(path, { recursive: true })
      expect(await device.sync()).toMatchObject({ inForce: { release: 5 } })
      expect((await device.engine()).issues).toEqual([])
    }
  })

  it('a killed set does not count as having the scripts of its release', async () => {
    const device = await freshDevice()
    const [script, ...others] = [1, 2].map(number => scriptOf(`release ${number}`))
    const hooks = [commandHook({}, script!)]
    publish(device.server, 1)
    await device.sync()
    device.server.offer = { lease: { order: 'kill' } }
    await device.sync()
    publish(device.server, 2)
    await device.sync()
    device.server.offer = {
      release: device.server.team.release({ release: 3, hooks }),
      scripts: [script!, ...others],
    }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 3 } })
  })

  it('a release goes back although the one that allows it is damaged', async () => {
    const device = await freshDevice()
    const first = publish(device.server, 1)
    await device.sync()
    publish(device.server, 2, { may_revert_to: [sha256(first.payload)] })
    await device.sync()
    writeFileSync(join(realpathSync(device.place.hooks), 'extra'), '')
    rmSync(join(realpathSync(device.place.hooks), 'guard.sh'), { force: true })
    device.server.offer = { release: first, lease: { order: 'revert' }, scripts: [scriptOf('release 1')] }
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
  })
})

describe('two at once', () => {
  it('one waits, and both end on the same release', async () => {
    const device = await freshDevice()
    for (let number = 1; number < 8; number++) {
      publish(device.server, number)
      const results = await Promise.all([device.sync(), device.sync(), device.sync()])
      expect(results.map(({ kind }) => kind).sort()).toEqual(['unchanged', 'unchanged', 'updated'])
      for (const { inForce } of results) expect(inForce).toMatchObject({ release: number })
    }
  })

  it('the lock of one who died is taken over, that of one who lives is not', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    const { hostname } = await import('node:os')
    const holder = (pid: number) => JSON.stringify({ pid, host: hostname(), token: 'x' })
    writeFileSync(device.place.lock, holder(2 ** 22 + 12345))
    expect(await device.sync()).toMatchObject({ kind: 'updated' })
    writeFileSync(device.place.lock, holder(process.pid))
    const result = await sync(device.around, 'acme', { lockPatienceMs: 100 })
    expect(result).toMatchObject({ kind: 'failed', problem: { code: 'busy' }, inForce: { release: 1 } })
    expect(existsSync(device.place.lock)).toBe(true)
  })
})

describe('tokens', () => {
  it('are renewed when two thirds of their life are over', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync({ now: () => NOW + 59 * DAY })
    expect(device.server.renewals).toBe(0)
    await device.sync({ now: () => NOW + 61 * DAY })
    expect(device.server.renewals).toBe(1)
    expect(readFileSync(device.place.enrolment, 'utf8')).toContain('"renewed-1"')
    await device.sync({ now: () => NOW + 62 * DAY })
    expect(device.server.renewals).toBe(1)
  })

  it.each([
    ['without a token', { token: '', tokenExpiresAt: at(NOW + 180 * DAY) }],
    ['without its end', { token: 'renewed-0', tokenExpiresAt: '' }],
    ['with an end that is no time', { token: 'renewed-0', tokenExpiresAt: 'soon' }],
  ])('stay when they are renewed %s', async (_, said) => {
    const device = await freshDevice()
    publish(device.server, 1)
    const before = readFileSync(device.place.enrolment, 'utf8')
    let renewals = 0
    device.server.misbehave = ({ url }, response) => {
      if (!url?.endsWith('/RenewToken')) return false
      renewals++
      const { output } = DeviceService.method.renewToken
      response.writeHead(200, { 'content-type': 'application/proto' })
      response.end(toBinary(output, create(output, said)))
      return true
    }
    await device.sync({ now: () => NOW + 61 * DAY })
    expect(renewals).toBe(1)
    expect(readFileSync(device.place.enrolment, 'utf8')).toBe(before)
  })

  it('that cannot be renewed stay, and the sync goes on', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    device.server.misbehave = ({ url }, response) => {
      if (!url?.endsWith('/RenewToken')) return false
      response.writeHead(500).end()
      return true
    }
    const now = () => NOW + 6 * DAY + 60 * DAY
    device.server.offer = {
      ...device.server.offer,
      lease: { issued_at: at(now()), not_after: at(now() + DAY) },
    }
    expect(await device.sync({ now })).toMatchObject({ kind: 'updated' })
    expect(readFileSync(device.place.enrolment, 'utf8')).toContain(device.server.token)
  })
})

describe('clocks', () => {
  it.each([
    ['1970', 0, 'updated'],
    ['2099', Date.parse('2099-01-01T00:00:00Z'), 'refused'],
  ])('at %s', async (_, now, kind) => {
    const device = await freshDevice()
    publish(device.server, 1)
    const result = await device.sync({ now: () => now })
    expect(result.kind).toBe(kind)
    if (kind === 'refused') expect(result.problem?.message).toContain('2099-01-01')
    expect(await device.sync()).toMatchObject({ inForce: { release: 1 } })
  })

  it('that jump back are noticed: what has expired stays expired', async () => {
    const device = await freshDevice()
    publish(device.server, 1)
    await device.sync()
    publish(device.server, 2, { expires_at: at(NOW - 1000) })
    device.server.offer = { ...device.server.offer, lease: { issued_at: at(NOW - 3 * DAY) } }
    expect(await device.sync({ now: () => NOW - 3 * DAY })).toMatchObject({ problem: { code: 'expired' } })
  })
})

it('a machine that belongs to no team', async () => {
  const home = freshFolder()
  const device = await freshDevice()
  const around = { ...device.around, home }
  expect(await sync(around, 'acme')).toMatchObject({ kind: 'failed', problem: { code: 'enrolment' } })
  expect(readStatus(around, 'acme')).toBeUndefined()
  expect(picture(home)).toEqual({ '/': '700' })
  expect(await enrol(around, { server: 'ftp://x', proof: { accessToken: 'x' } })).toMatchObject({ ok: false })
})

type Response_ = import('node:http').ServerResponse

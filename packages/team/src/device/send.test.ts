import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { openHooks } from '@holdfast/hooks'
import { beforeAll, describe, expect, it } from 'vitest'
import { itInAll, runsEverything } from '../../../../tests/scope.js'
import { NOW } from '../signing/testing/team.js'
import { type SendOptions, sendRecords } from './index.js'
import { countQueued } from './queue.js'
import { cleanUp, freshDevice, freshFolder, publish, type TestDevice } from './testing/device.js'
import { bundleChild, ended, said, start } from './testing/process.js'

cleanUp()

const record = (id: string, size = 10) =>
  JSON.stringify({ id, time: '2030-06-15T10:00:00.000Z', text: 'x'.repeat(size) })
const linesOf = (prefix: string, count: number, size?: number) =>
  Array.from({ length: count }, (_, index) => `${record(`${prefix}${index}`, size)}\n`).join('')

interface Sender extends TestDevice {
  write(text: string | Uint8Array): void
  send(options?: SendOptions, minutes?: number): ReturnType<typeof sendRecords>
  segments(): string[]
}

async function freshSender(): Promise<Sender> {
  const device = await freshDevice()
  const start = Date.now()
  return {
    ...device,
    write: text => appendFileSync(join(device.place.queue, 'active.jsonl'), text),
    // The age of files is that of the disk, so the clock must be the real one.
    send: (options = {}, minutes = 0) =>
      sendRecords({ ...device.around, now: () => start + minutes * 60_000 }, 'acme', {
        urgent: true,
        ...options,
      }),
    segments: () => readdirSync(device.place.queue).filter(name => /^[0-9a-f-]{36}\.jsonl$/.test(name)),
  }
}

describe('records', () => {
  it('are sent in batches that number themselves, and are gone when nobody can write to them any more', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 2500))
    expect(countQueued(device.place.queue)).toBe(2500)
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 2500, left: 0, refused: 0, torn: 0 })
    const { batches, stored } = device.server
    expect(batches.map(({ records }) => records.length)).toEqual([1000, 1000, 500])
    expect(batches.map(({ from }) => from)).toEqual([0, batches[0]?.to, batches[1]?.to])
    expect(new Set(batches.map(({ segment }) => segment)).size).toBe(1)
    expect(stored.size).toBe(2500)
    expect(device.segments()).toHaveLength(1)
    expect(await device.send({}, 5)).toMatchObject({ sent: 0 })
    expect(device.segments()).toHaveLength(1)
    await device.send({}, 11)
    expect(device.segments()).toHaveLength(0)
    expect(readdirSync(device.place.queue)).toEqual([])
    expect(batches).toHaveLength(3)
  })

  it('a batch has at most 1 MiB, unless one record alone has more', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 30, 100_000))
    await device.send()
    for (const { records } of device.server.batches)
      expect(Buffer.byteLength(records.join('\n'))).toBeLessThanOrEqual(1024 * 1024)
    expect(device.server.stored.size).toBe(30)
  })

  it('are set aside only when there are enough, or they are old enough, or somebody wants them now', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 10))
    expect(await device.send({ urgent: false })).toMatchObject({ sent: 0, left: 10 })
    expect(await device.send({ urgent: false }, 2)).toMatchObject({ sent: 10, left: 0 })
    device.write(linesOf('b', 50, 100_000))
    expect(await device.send({ urgent: false })).toMatchObject({ sent: 50 })
  })

  it('what a writer appends after the file was moved away is sent, too', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 3))
    await device.send()
    const [segment] = device.segments()
    appendFileSync(join(device.place.queue, segment!), linesOf('late', 2))
    expect(await device.send({}, 1)).toMatchObject({ sent: 2 })
    expect([...device.server.stored.keys()]).toEqual(['a0', 'a1', 'a2', 'late0', 'late1'])
  })

  it('are sent again when the note of what was stored is lost, which is harmless', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 1500))
    await device.send()
    for (const broken of ['', '{', '{"done":-1}', '{"done":1e99}', '{"done":"x"}']) {
      const ack = readdirSync(device.place.queue).find(name => name.endsWith('.ack'))!
      writeFileSync(join(device.place.queue, ack), broken)
      expect(await device.send()).toMatchObject({ kind: 'sent', left: 0 })
    }
    expect(device.server.stored.size).toBe(1500)
  })

  it('the newest are sent first', async () => {
    const device = await freshSender()
    for (const name of ['old', 'mid', 'new']) {
      device.write(linesOf(name, 1))
      device.server.receive = () => {
        throw new ConnectError('later', Code.Unavailable)
      }
      await device.send()
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    device.server.receive = () => ({})
    await device.send()
    expect(device.server.batches.flatMap(({ records }) => records.map(text => JSON.parse(text).id))).toEqual([
      'new0',
      'mid0',
      'old0',
    ])
  })
})

describe('the engine', () => {
  it('writes what a team wants to know, and it arrives', async () => {
    const device = await freshSender()
    publish(device.server, 1)
    await device.sync()
    const hooks = await openHooks({
      workspaceRoots: [],
      home: device.home,
      enterpriseDir: join(device.home, 'none'),
      watch: false,
      log: { file: null },
    })
    for (let count = 0; count < 3; count++)
      await hooks.fire('beforeShellExecution', { command: `echo ${count}`, cwd: device.home, sandbox: false })
    hooks.close()
    expect(countQueued(device.place.queue)).toBe(3)
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 3, torn: 0, left: 0 })
    const sent = [...device.server.stored.values()].map(text => JSON.parse(text))
    expect(sent).toMatchObject(
      Array(3).fill({ event: 'beforeShellExecution', source: 'team', outcome: 'answered' }),
    )
  })

  it('says what it had to leave out, and that arrives as a gap', async () => {
    const device = await freshSender()
    const gap = (count: number, reason = 'queue-full') =>
      `\n${JSON.stringify({ gap: { from: 'a', to: 'b', count, reason } })}\n`
    device.write(`\n${record('a')}\n${gap(3)}${gap(4)}\n${record('b')}\n${gap(1, 'other')}{"gap":7}\n`)
    expect(await device.send()).toMatchObject({ sent: 3, torn: 0, left: 0 })
    expect(device.server.batches.flatMap(batch => batch.gaps)).toEqual([
      { count: 7, reason: 'queue-full' },
      { count: 1, reason: 'other' },
    ])
  })

  it('and what it left out is not lost when that, too, is given up', async () => {
    const device = await freshSender()
    device.server.receive = () => {
      throw new ConnectError('later', Code.Unavailable)
    }
    device.write(`${linesOf('a', 5)}\n{"gap":{"from":"","to":"","count":40,"reason":"queue-full"}}\n`)
    await device.send({ mostPendingBytes: 0 })
    device.server.receive = () => ({})
    await device.send()
    expect(device.server.batches.flatMap(batch => batch.gaps)).toEqual([{ count: 45, reason: 'queue-full' }])
  })
})

describe('what is torn', () => {
  it.each([
    [
      'a record cut short before the next',
      `${record('a')}\n${record('x').slice(0, 20)}${record('b')}\n`,
      ['a', 'b'],
      1,
    ],
    ['a line of garbage', `${record('a')}\ngarbage\n${record('b')}\n`, ['a', 'b'], 1],
    ['lines that are no objects', `1\nnull\n"x"\n[]\n${record('a')}\n`, ['a'], 4],
    ['empty lines', `\n\n${record('a')}\n\n`, ['a'], 0],
    [
      'text that is not UTF-8',
      Buffer.concat([Buffer.from([0x7b, 0xff, 0x7d, 10]), Buffer.from(`${record('a')}\n`)]),
      ['a'],
      1,
    ],
    [
      'a mebibyte of zeros',
      Buffer.concat([Buffer.alloc(1024 * 1024), Buffer.from(`\n${record('a')}\n`)]),
      ['a'],
      1,
    ],
    ['nothing but garbage', 'garbage\n', [], 1],
  ])('%s', async (_, text, ids, torn) => {
    const device = await freshSender()
    device.write(text)
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: ids.length, torn, left: 0 })
    expect([...device.server.stored.keys()]).toEqual(ids)
    const gaps = device.server.batches.flatMap(batch => batch.gaps)
    expect(gaps).toEqual(torn > 0 ? [{ count: torn, reason: 'torn' }] : [])
  })

  it('every length of a cut record: nothing else is lost', async () => {
    const device = await freshSender()
    const whole = record('cut', 0)
    for (let length = 1; length < whole.length; length++)
      device.write(`${whole.slice(0, length)}${record(`n${length}`)}\n`)
    expect(await device.send()).toMatchObject({ sent: whole.length - 1, torn: whole.length - 1 })
  })

  it('a last line without its end is waited for, and then counted', async () => {
    const device = await freshSender()
    device.write(`${record('a')}\n${record('b').slice(0, 15)}`)
    expect(await device.send()).toMatchObject({ sent: 1, torn: 0 })
    expect(await device.send({}, 0.5)).toMatchObject({ sent: 0, torn: 0 })
    expect(await device.send({}, 2)).toMatchObject({ sent: 0, torn: 1 })
    await device.send({}, 30)
    expect(device.segments()).toEqual([])
  })

  it('a last line that only lacks its line break is a record', async () => {
    const device = await freshSender()
    device.write(record('a'))
    expect(await device.send({}, 2)).toMatchObject({ sent: 1, torn: 0 })
  })

  it('a record that is too large is in refused.jsonl, and is counted', async () => {
    const device = await freshSender()
    device.write(`${record('a')}\n${record('huge', 10 * 1024 * 1024)}\n${record('b')}\n`)
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 2, refused: 1, left: 0 })
    expect(device.server.batches.flatMap(({ gaps }) => gaps)).toEqual([{ count: 1, reason: 'too-large' }])
    const refused = readFileSync(join(device.place.queue, 'refused.jsonl'), 'utf8')
    expect(refused).toContain('too_large')
    expect(refused.length).toBeLessThan(20_000)
  })
})

describe('what the server says', () => {
  it('unwanted records are set aside, and do not hold up the rest', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 5))
    device.server.receive = () => ({
      rejected: [
        { index: 1, code: 'bad_event' },
        { index: 77, code: 'x' },
      ],
    })
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 4, refused: 1, left: 0 })
    expect([...device.server.stored.keys()]).toEqual(['a0', 'a2', 'a3', 'a4'])
    const refused = readFileSync(join(device.place.queue, 'refused.jsonl'), 'utf8').trim().split('\n')
    expect(refused.map(line => JSON.parse(line))).toMatchObject([{ code: 'bad_event', record: record('a1') }])
  })

  it('refused.jsonl does not grow without end', async () => {
    const device = await freshSender()
    device.server.receive = ({ records }) => ({
      rejected: records.map((_, index) => ({ index, code: 'no' })),
    })
    for (let round = 0; round < 5; round++) {
      device.write(linesOf(`${round}-`, 60, 14_000))
      expect(await device.send()).toMatchObject({ refused: 60 })
    }
    const sizes = ['refused.jsonl', 'refused.1.jsonl'].map(
      name => readFileSync(join(device.place.queue, name)).length,
    )
    expect(Math.max(...sizes)).toBeLessThan(2.2 * 1024 * 1024)
  })

  it('too much at once: half of it, and half again', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 900))
    const sizes: number[] = []
    device.server.misbehave = (request, response) => {
      const length = Number(request.headers['content-length'])
      if (length < 20_000) return false
      sizes.push(length)
      response.writeHead(413).end()
      request.resume()
      return true
    }
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 900, left: 0, refused: 0 })
    expect(sizes.length).toBeGreaterThan(1)
    expect(device.server.stored.size).toBe(900)
  })

  it('one that is too much alone is set aside; who finds everything too much is waited for', async () => {
    const device = await freshSender()
    device.write(`${linesOf('a', 3)}${record('big', 50_000)}\n${linesOf('b', 3)}`)
    const refuseFrom = (bytes: number) => {
      device.server.misbehave = (request, response) => {
        if (Number(request.headers['content-length']) < bytes) return false
        request.resume()
        response.writeHead(413).end()
        return true
      }
    }
    refuseFrom(1)
    expect(await device.send()).toMatchObject({
      kind: 'failed',
      problem: { code: 'server' },
      left: 7,
      refused: 0,
    })
    refuseFrom(20_000)
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 6, refused: 1, left: 0 })
    expect(device.server.batches.flatMap(({ gaps }) => gaps)).toEqual([{ count: 1, reason: 'refused' }])
  })

  it('a record that the server cannot read does not hold up the rest', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 20))
    device.server.receive = ({ records }) => {
      if (records.some(text => text.includes('"a7"')))
        throw new ConnectError('a7 is odd', Code.InvalidArgument)
      return {}
    }
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 19, refused: 1 })
    expect(device.server.stored.size).toBe(19)
  })

  it('one that is first waits until the server has taken another', async () => {
    const device = await freshSender()
    device.server.receive = ({ records }) => {
      if (records.some(text => text.includes('"a0"')))
        throw new ConnectError('a0 is odd', Code.InvalidArgument)
      return {}
    }
    device.write(linesOf('a', 3))
    expect(await device.send()).toMatchObject({ kind: 'failed', sent: 0, refused: 0, left: 3 })
    device.write(linesOf('b', 3))
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 5, refused: 1, left: 0 })
  })

  it.each([Code.InvalidArgument, Code.ResourceExhausted])(
    'who takes nothing at all (%s) gets everything later',
    async code => {
      const device = await freshSender()
      device.server.receive = () => {
        throw new ConnectError('no', code)
      }
      for (const name of ['a', 'b']) {
        device.write(linesOf(name, 20, 20_000))
        expect(await device.send()).toMatchObject({ kind: 'failed', refused: 0, problem: { code: 'server' } })
      }
      device.server.receive = () => ({})
      expect(await device.send()).toMatchObject({ sent: 40, left: 0, refused: 0 })
    },
  )

  it.each([
    ['429 with a time', Code.ResourceExhausted, '30', 'server', 30_000],
    ['503 with a time', Code.Unavailable, '5', 'server', 5000],
    ['503', Code.Unavailable, undefined, 'server', undefined],
    ['401', Code.Unauthenticated, undefined, 'unauthorized', undefined],
    ['500', Code.Internal, undefined, 'server', undefined],
  ])('%s: everything is kept', async (_, code, wait, problem, waitMs) => {
    const device = await freshSender()
    device.write(linesOf('a', 5))
    device.server.receive = () => {
      throw new ConnectError('no', code, wait === undefined ? {} : { 'retry-after': wait })
    }
    const result = await device.send()
    expect(result).toMatchObject({ kind: 'failed', problem: { code: problem }, left: 5, sent: 0 })
    expect(result.waitMs).toBe(waitMs)
    device.server.receive = () => ({})
    expect(await device.send()).toMatchObject({ sent: 5, left: 0 })
  })

  it('how long to wait between batches', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 2500))
    device.server.receive = () => ({ waitMs: 1234 })
    const slept: number[] = []
    await sendRecords({ ...device.around, now: Date.now, sleep: async ms => void slept.push(ms) }, 'acme', {
      urgent: true,
    })
    expect(slept.filter(ms => ms === 1234)).toHaveLength(3)
    device.write(linesOf('b', 1))
    device.server.receive = () => ({ waitMs: 2 ** 31 - 1 })
    slept.length = 0
    await sendRecords({ ...device.around, now: Date.now, sleep: async ms => void slept.push(ms) }, 'acme', {
      urgent: true,
    })
    expect(slept).toEqual([60_000])
  })

  it('of records that it has not stored yet does not count', async () => {
    const device = await freshSender()
    const first = `${record('a')}\n`
    device.write(`${first}torn\n${record('b')}\n${record('c')}\n`)
    device.server.receive = ({ from }) =>
      from === 0 ? { ackedTo: first.length, rejected: [{ index: 2, code: 'bad_event' }] } : {}
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 3, refused: 0, torn: 1, left: 0 })
    expect([...device.server.stored.keys()].sort()).toEqual(['a', 'b', 'c'])
    expect(existsSync(join(device.place.queue, 'refused.jsonl'))).toBe(false)
  })

  it('up to where it has stored, which may be less than all', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 100))
    device.server.receive = ({ from, to }) => ({ ackedTo: Math.min(to, from + 1000) })
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 100, left: 0 })
    expect(device.server.batches.length).toBeGreaterThan(3)
  })

  it('that it has stored nothing: nothing is lost, and nothing is sent forever', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 5))
    for (const ackedTo of [0, -5]) {
      device.server.receive = () => ({ ackedTo })
      expect(await device.send()).toMatchObject({ kind: 'failed', problem: { code: 'answer' }, left: 5 })
    }
    expect(device.server.batches).toHaveLength(2)
  })
})

describe('a queue that nobody empties', () => {
  it('gives up the oldest, and tells exactly how many, once', async () => {
    const device = await freshSender()
    device.server.receive = () => {
      throw new ConnectError('later', Code.Unavailable)
    }
    for (const name of ['a', 'b', 'c']) {
      device.write(linesOf(name, 100, 1000))
      await device.send({ mostPendingBytes: 150_000 })
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    const left = countQueued(device.place.queue)
    expect(left).toBeLessThan(150)
    expect(left).toBeGreaterThan(130)
    device.server.receive = () => ({})
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: left, left: 0 })
    const gaps = device.server.batches.flatMap(batch => batch.gaps)
    expect(gaps.reduce((sum, { count }) => sum + count, 0)).toBe(300 - left)
    expect(new Set(gaps.map(({ reason }) => reason))).toEqual(new Set(['queue-full']))
    await device.send()
    expect(device.server.batches.flatMap(batch => batch.gaps)).toEqual(gaps)
    expect([...device.server.stored.keys()].every(id => !id.startsWith('a'))).toBe(true)
  })

  it('gives up what is older than 30 days', async () => {
    const device = await freshSender()
    device.server.receive = () => {
      throw new ConnectError('later', Code.Unavailable)
    }
    device.write(linesOf('old', 7))
    await device.send()
    await device.send({}, 31 * 24 * 60)
    expect(countQueued(device.place.queue)).toBe(0)
    device.server.receive = () => ({})
    await device.send()
    expect(device.server.batches.flatMap(batch => batch.gaps)).toEqual([{ count: 7, reason: 'too-old' }])
  })

  it('a crash while giving up loses no count and counts nothing twice', async () => {
    const device = await freshSender()
    const fail = () => {
      throw new ConnectError('later', Code.Unavailable)
    }
    device.server.receive = fail
    device.write(linesOf('a', 100, 1000))
    const send = (onStep?: (step: string) => void) =>
      sendRecords({ ...device.around, now: Date.now, onStep }, 'acme', {
        urgent: true,
        mostPendingBytes: 50_000,
      })
    let steps = 0
    await send(step => {
      if (step.includes('.ack') && step.startsWith('move')) throw new Error('died here')
      steps++
    })
    expect(steps).toBeGreaterThan(2)
    await send()
    const left = countQueued(device.place.queue)
    device.server.receive = () => ({})
    await send()
    const gaps = device.server.batches.flatMap(batch => batch.gaps)
    expect(gaps.reduce((sum, { count }) => sum + count, 0) + left).toBe(100)
    expect(device.server.stored.size).toBe(left)
  })

  it('on a full disk what is stored still goes away', async () => {
    const device = await freshSender()
    device.write(linesOf('a', 2000))
    const onStep = (step: string) => {
      if (/^(create|append|sync)/.test(step)) throw new Error('ENOSPC: no space left on device')
    }
    const now = () => Date.now() + 11 * 60_000
    const result = await sendRecords({ ...device.around, now, onStep }, 'acme', { urgent: true })
    expect(result).toMatchObject({ kind: 'sent', sent: 2000, left: 0 })
    expect(device.segments()).toEqual([])
  })

  it('sends nothing through links', async () => {
    const device = await freshSender()
    const elsewhere = freshFolder()
    const name = '00000000-0000-4000-8000-000000000000.jsonl'
    writeFileSync(join(elsewhere, 'active.jsonl'), linesOf('secret', 3))
    for (const link of ['active.jsonl', name])
      symlinkSync(join(elsewhere, 'active.jsonl'), join(device.place.queue, link))
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 0, left: 0 })
    rmSync(device.place.queue, { recursive: true })
    symlinkSync(elsewhere, device.place.queue)
    expect(await device.send()).toMatchObject({ kind: 'failed', problem: { code: 'tampered' } })
    expect(device.server.batches).toEqual([])
    expect(readdirSync(elsewhere)).toEqual(['active.jsonl'])
  })

  it('strange files in it do no harm', async () => {
    const device = await freshSender()
    const at = (name: string) => join(device.place.queue, name)
    const id = '00000000-0000-4000-8000-000000000000'
    mkdirSync(at(`${id}.jsonl`))
    writeFileSync(at(`${id.replace('8', '9')}.gap`), 'x')
    writeFileSync(at('notes.txt'), 'x')
    device.write(linesOf('a', 3))
    expect(await device.send()).toMatchObject({ kind: 'sent', sent: 3, left: 0 })
    expect(existsSync(at('notes.txt'))).toBe(true)
    utimesSync(at('notes.txt'), 0, 0)
  })
})

describe('kill -9', () => {
  let [folder, child] = ['', '']
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-child-'))
    child = await bundleChild(folder)
    return () => rmSync(folder, { recursive: true, force: true })
  })
  const orders = (home: string, more: object) => ({ home, teamId: 'acme', now: NOW, ...more })

  it('of the sender before each of its steps: nothing is lost', { timeout: 120_000 }, async () => {
    const device = await freshSender()
    let dieAt = 1
    // A kill, unlike a power cut, loses no unsynced data, so a kill before a sync leaves the same files as one after it.
    const withoutSyncs = !runsEverything
    // By default every second step.
    for (let total = 0; ; dieAt += runsEverything ? 1 : 2) {
      device.write(linesOf(`${dieAt}-`, 1200))
      total += 1200
      const { signal } = await ended(
        start(child, orders(device.home, { what: 'send', dieAt, withoutSyncs, now: Date.now() })),
      )
      if (signal === null) {
        expect(device.server.stored.size).toBe(total)
        break
      }
    }
    expect(dieAt).toBeGreaterThan(8)
    expect(countQueued(device.place.queue)).toBe(0)
  })

  itInAll(
    'of writers and senders at any instant: what was written is stored',
    { timeout: 120_000 },
    async () => {
      const device = await freshSender()
      const written = new Set<string>()
      for (let round = 0; round < 6; round++) {
        const writers = [0, 1].map(index =>
          start(child, orders(device.home, { what: 'write', name: `${round}${index}` })),
        )
        const sender = start(child, orders(device.home, { what: 'send forever', now: Date.now() }))
        const all = [...writers, sender]
        const over = all.map(ended)
        await Promise.all(all.map(one => said(one, 5)))
        await new Promise(resolve => setTimeout(resolve, Math.random() * 100))
        for (const one of all) one.kill('SIGKILL')
        for (const { out } of (await Promise.all(over)).slice(0, 2)) {
          // The last line may itself be torn.
          for (const line of out.split('\n').slice(0, -1)) written.add(JSON.parse(line))
        }
      }
      expect(await device.send({}, 2)).toMatchObject({ kind: 'sent', left: 0 })
      expect(written.size).toBeGreaterThan(50)
      expect([...written].filter(id => !device.server.stored.has(id))).toEqual([])
    },
  )
})

it('two who send: one does it', async () => {
  const device = await freshSender()
  device.write(linesOf('a', 10))
  device.server.receive = () => ({ waitMs: 1500 })
  const results = await Promise.all([device.send(), device.send()])
  expect(results.map(({ kind }) => kind).sort()).toEqual(['failed', 'sent'])
  expect(results.find(({ kind }) => kind === 'failed')).toMatchObject({ problem: { code: 'busy' } })
  expect(device.server.batches).toHaveLength(1)
})

it('who belongs to no team sends nothing', async () => {
  const device = await freshSender()
  expect(await sendRecords({ ...device.around, home: freshFolder() }, 'acme')).toMatchObject({
    kind: 'failed',
    problem: { code: 'enrolment' },
  })
})

// Stored records are found by every field that can be searched, and counted correctly.

import { create } from '@bufbuild/protobuf'
import { FilterSchema } from '@holdfast/team'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { countRecords } from '../../packages/server/src/audit/counts.js'
import { exportRecords } from '../../packages/server/src/audit/export.js'
import { facetsOf } from '../../packages/server/src/audit/facets.js'
import { overviewOf } from '../../packages/server/src/audit/overview.js'
import { recordOf, searchRecords } from '../../packages/server/src/audit/search.js'
import type { OpenTeam } from '../../packages/server/src/open-team.js'
import { shownOf } from '../../packages/server/src/records/record.js'
import { inTime, openReader } from '../../packages/server/src/store/reader.js'
import { runsEverything } from '../scope.js'
import { DATABASES, SQLITE, type TestDatabase } from './databases.js'
import { DAY, fileOf, HOUR, openTestTeam, recordAt } from './records.js'

/** No release exists, so the state of every device follows from its report. */
const NO_RULES = async () => ({
  now: NOW,
  isKilled: false,
  pins: [],
  rings: [{ name: 'all', share: 1 }],
  releases: [],
})

const DEVICE = {
  operating_system: 'Linux',
  os_version: '',
  client_version: '',
  group: '',
  enrolled_at: 0,
  enrolled_by: '',
  owner: '',
  enrolment_key: null,
  token_id: '',
  last_seen_at: 0,
  release: 0,
  release_hash: '',
  trust_version: 0,
  state: 'no_bundle',
  problems: '[]',
  queued: 0,
  place: 0,
  revoked_at: null,
  looks_cloned: 0,
  lease_seq: 0,
}

const NOW = Date.UTC(2026, 5, 15, 12, 30)
const iso = (at: number) => new Date(at).toISOString()

/** The queries of the tests below, on a team that is opened for them. */
function asking(opened: () => OpenTeam) {
  const search = (filter: object = {}, page: object = {}) =>
    searchRecords(opened().team, { filter: filterOf(filter), pageSize: 0, pageToken: '', ...page })
  const found = async (filter: object) => (await search(filter)).records.map(({ summary }) => summary).sort()
  return { search, found }
}
const filterOf = (filter: object) => create(FilterSchema, filter)
const run = (command: string, more: object = {}, ago = HOUR) =>
  recordAt(NOW - ago, { request: { command }, ...more } as never)

describe.each(DATABASES)('$kind, by each filter', ({ create: createDatabase }) => {
  let database: TestDatabase
  let opened: OpenTeam
  const { search, found } = asking(() => opened)
  beforeAll(async () => {
    database = await createDatabase()
    opened = await openTestTeam(database.url, () => NOW)

    await fileOf(opened, 'd1').send([
      run('plain'),
      run('old', {}, 8 * DAY),
      run('other event', { event: 'stop' }),
      run('other hook', { hook: './lint.sh' }),
      run('denied', { permission: 'deny' }),
      run('watched', { permission: 'deny', mode: 'observe' }),
      run('asked', { permission: 'ask' }),
      run('silent', { permission: null, response: null, outcome: 'silent' }),
      run('failed', { permission: null, response: null, outcome: 'failed' }),
      run('open', { permission: null, response: null, outcome: 'failed', failed_open: true }),
      run('stopped', { permission: null, response: { continue: false } }),
      run('of release 4', { release: 4 }),
      run('of another talk', { conversation_id: 'c2' }),
      run('100% of_it\\', {}),
      run('Grüße AN alle'),
    ])
    await opened.team.store.db
      .insertInto('devices')
      .values({ ...DEVICE, id: 'd2', name: 'd2', owner: 'ann@example.com' } as never)
      .execute()
    await fileOf(opened, 'd2').send([run('elsewhere')])
  })
  afterAll(async () => {
    await opened.close()
    await database.drop()
  })

  const everything = [
    '100% of_it\\',
    'Grüße AN alle',
    'asked',
    'denied',
    'elsewhere',
    'failed',
    'of another talk',
    'of release 4',
    'open',
    'other event',
    'other hook',
    'plain',
    'silent',
    'stopped',
    'watched',
  ]
  it.each([
    ['the last week', {}, everything],
    ['a time', { from: iso(NOW - 9 * DAY), to: iso(NOW - 7 * DAY) }, ['old']],
    ['another time', { from: iso(NOW - HOUR), to: iso(NOW - HOUR + 1) }, everything],
    ['a time without any', { from: iso(NOW - HOUR + 1) }, []],
    ['an event', { events: ['stop'] }, ['other event']],
    ['a hook', { hooks: ['./lint.sh'] }, ['other hook']],
    ['a device', { deviceIds: ['d2'] }, ['elsewhere']],
    ['a person', { owners: ['ann@example.com'] }, ['elsewhere']],
    ['all but a person', { owners: [''], excluded: { owners: ['ann@example.com'] } }, []],
    ['all but a device', { excluded: { deviceIds: ['d1'] } }, ['elsewhere']],
    [
      'all but a hook and some verdicts',
      { excluded: { hooks: ['./guard.sh'], verdicts: ['deny'] } },
      ['other hook'],
    ],
    ['all but two events', { excluded: { events: ['stop', 'beforeShellExecution'] } }, []],
    ['denials', { verdicts: ['deny'] }, ['denied', 'stopped']],
    ['what was only watched', { verdicts: ['observed_deny'] }, ['watched']],
    ['questions and silence', { verdicts: ['ask', 'none'] }, ['asked', 'silent']],
    ['failures', { verdicts: ['failed'] }, ['failed']],
    ['failures that let pass', { verdicts: ['failed_open'] }, ['open']],
    ['a text', { text: 'OTHER' }, ['of another talk', 'other event', 'other hook']],
    ['a text of signs', { text: '% of_' }, ['100% of_it\\']],
    ['a text that is a pattern', { text: '%' }, ['100% of_it\\']],
    ['a text with a backslash', { text: 'it\\' }, ['100% of_it\\']],
    ['a text of other letters', { text: 'Grüße' }, ['Grüße AN alle']],
    ['a release', { release: 4 }, ['of release 4']],
    ['a conversation', { conversationId: 'c2' }, ['of another talk']],
    [
      'several at once',
      { hooks: ['./guard.sh'], verdicts: ['deny'], text: 'den', deviceIds: ['d1'] },
      ['denied'],
    ],
  ])('%s', async (_, filter, expected) => {
    expect(await found(filter)).toEqual(expected)
    const { total, bars } = await countRecords(opened.team, { filter: filterOf(filter), buckets: 20 })
    expect(total).toBe(expected.length)
    expect(bars.length).toBeLessThanOrEqual(20)
    const inBars = bars
      .flatMap(({ verdicts }) => [...verdicts.values()])
      .reduce((sum, count) => sum + count, 0)
    expect(inBars).toBe(total)
  })

  it('says what is wrong with a filter', async () => {
    const refused = (filter: object) => expect(search(filter)).rejects
    await refused({ from: 'yesterday' }).toThrow(/from is "yesterday"; expected a time/)
    await refused({ from: iso(NOW), to: iso(NOW - 1) }).toThrow('from must be before to.')
    await refused({ verdicts: ['denied'] }).toThrow(/verdicts has "denied"; expected allow, deny/)
    await refused({ text: 'x'.repeat(201) }).toThrow(/text has 201 characters; 200 is the most/)
    await refused({ hooks: Array(201).fill('x') }).toThrow(/hooks has 201 entries/)
    await expect(search({}, { pageToken: 'x' })).rejects.toThrow(/page_token/)
  })

  it('one complete record, with its body', async () => {
    const { records } = await search({ hooks: ['./lint.sh'] })
    expect(JSON.stringify(records)).not.toContain('body')
    const { record } = await recordOf(opened.team, records[0]!.id)
    expect(JSON.parse(record.body)).toMatchObject({ id: records[0]!.id, hook: './lint.sh' })
    await expect(recordOf(opened.team, 'nothing')).rejects.toThrow('There is no record nothing')
  })

  it('facets, each without its own filter', async () => {
    const all = await facetsOf(opened.team, undefined)
    expect(all.devices).toEqual([
      { name: 'd1', count: 14, label: '' },
      { name: 'd2', count: 1, label: 'd2' },
    ])
    expect(all.hooks.map(({ name, count }) => [name, count])).toEqual([
      ['./guard.sh', 14],
      ['./lint.sh', 1],
    ])
    const denied = await facetsOf(opened.team, filterOf({ verdicts: ['deny'] }))
    expect(denied.events.map(({ name, count }) => [name, count])).toEqual([['beforeShellExecution', 2]])
    expect(denied.verdicts).toContainEqual({ name: 'failed_open', count: 1, label: '' })
    expect(denied.devices).toEqual([{ name: 'd1', count: 2, label: '' }])
    const inText = await facetsOf(opened.team, filterOf({ text: 'other' }))
    expect(inText.events.map(({ count }) => count)).toEqual([2, 1])
    const ofDevice = await facetsOf(opened.team, filterOf({ deviceIds: ['d2'] }))
    expect(ofDevice.events.map(({ count }) => count)).toEqual([1])
    expect(ofDevice.devices).toHaveLength(2)
  })
})

describe.each(DATABASES)('$kind', ({ create: createDatabase }) => {
  let database: TestDatabase
  let opened: OpenTeam
  const { search } = asking(() => opened)
  beforeEach(async () => {
    database = await createDatabase()
    opened = await openTestTeam(database.url, () => NOW)
  })
  afterEach(async () => {
    await opened.close()
    await database.drop()
  })

  it('pages are stable while records come in', async () => {
    const file = fileOf(opened, 'd1')
    await file.send(Array.from({ length: 120 }, (_, index) => run(`r${index}`, {}, HOUR + (index % 7))))
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await search({}, { pageSize: 25, pageToken })
      seen.push(...page.records.map(({ id }) => id))
      pageToken = page.nextPageToken
      await file.send([run('newer', {}, 1000), run('as old', {}, HOUR)])
    } while (pageToken !== '')
    const before = seen.length
    expect(new Set(seen).size).toBe(before)
    const { records } = await search({ text: 'r' }, { pageSize: 500 })
    const first = records.filter(({ summary }) => /^r\d/.test(summary)).map(({ id }) => id)
    expect(first.every(id => seen.includes(id))).toBe(true)
    const ids = (await search({}, { pageSize: 500 })).records.map(({ at, id }) => `${at} ${id}`)
    expect(ids).toEqual([...ids].sort().reverse())
  })

  it('sums are what a count over the rows gives, folded or not', async () => {
    const verdicts = [
      { permission: 'allow' },
      { permission: 'deny' },
      { permission: 'deny', mode: 'observe' },
      { permission: 'ask' },
      { permission: null, outcome: 'failed', failed_open: true },
      { permission: null, outcome: 'failed' },
      { permission: null, response: null, outcome: 'silent' },
    ]
    const one = fc.record({
      ago: fc.integer({ min: -2 * HOUR, max: 95 * DAY }),
      verdict: fc.constantFrom(...verdicts),
      hook: fc.constantFrom('a', 'b', 'c'),
      event: fc.constantFrom('stop', 'sessionStart'),
      release: fc.integer({ min: 0, max: 3 }),
      duration_ms: fc.double({ min: 0, max: 100_000, noNaN: true }),
    })
    const batches = fc.array(fc.tuple(fc.array(one, { minLength: 1, maxLength: 30 }), fc.boolean()), {
      minLength: 1,
      maxLength: 5,
    })
    const file = fileOf(opened, 'd1')
    const { db } = opened.team.store
    const check = async (given: [{ ago: number; verdict: object }[], boolean][]) => {
      for (const [runs, isFolded] of given) {
        const sent = runs.map(({ ago, verdict, ...more }) => recordAt(NOW - ago, { ...more, ...verdict }))
        await file.send([...sent, ...sent.slice(0, 2)])
        if (isFolded) await opened.team.records.fold()
      }
      const rows = await db.selectFrom('records').selectAll().execute()
      const expected = new Map<string, number>()
      for (const row of rows) {
        const key = JSON.stringify([
          Math.floor(row.at / HOUR),
          row.hook,
          row.event,
          row.release,
          shownOf(row),
        ])
        expected.set(key, (expected.get(key) ?? 0) + 1)
      }
      for (const [span, width] of [
        [1, 1],
        [24, 24],
      ]) {
        const { rows: sums } = await sql<Record<string, number | string>>`
          select hour - hour % ${sql.lit(width)} as hour, hook, event, release, verdict, sum(count) as count,
            sum(b0+b1+b2+b3+b4+b5+b6+b7+b8+b9+b10+b11+b12+b13+b14+b15) as buckets
          from (select hour, hook, event, release, verdict, count, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15 from rollup where span = ${span}
            union all select hour, hook, event, release, verdict, count, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15 from rollup_deltas) as s
          group by 1, 2, 3, 4, 5`.execute(db)
        const wide = new Map<string, number>()
        for (const [key, count] of expected) {
          const [hour, ...rest] = JSON.parse(key)
          const wider = JSON.stringify([hour - (hour % width!), ...rest])
          wide.set(wider, (wide.get(wider) ?? 0) + count)
        }
        const kept = new Map(
          sums.map(({ hour, hook, event, release, verdict, count }) => [
            JSON.stringify([hour, hook, event, release, verdict]),
            count as number,
          ]),
        )
        expect(kept).toEqual(wide)
        expect(sums.every(({ count, buckets }) => count === buckets)).toBe(true)
      }
      const { rows: days } = await sql<{ n: number }>`select sum(count) as n from device_days`.execute(db)
      expect(days[0]!.n).toBe(rows.length)
    }
    await fc.assert(fc.asyncProperty(batches, check), { numRuns: runsEverything ? 8 : 3 })
    await opened.team.records.fold()
    // The same queries, answered from sums and from rows.
    for (const days of [1, 7, 30, 100]) {
      const filter = { from: iso(NOW - days * DAY - (NOW % HOUR)), to: iso(NOW - (NOW % HOUR) + HOUR) }
      const bySums = await countRecords(opened.team, { filter: filterOf(filter), buckets: 400 })
      const byRows = await countRecords(opened.team, {
        filter: filterOf({ ...filter, deviceIds: ['d1'] }),
        buckets: 400,
      })
      expect(bySums.total).toBe(byRows.total)
    }
  })

  it('the figures of the first page', async () => {
    const { team } = opened
    await fileOf(opened, 'd1').send([
      ...Array.from({ length: 90 }, () => run('fine', { duration_ms: 15 }, 2 * DAY)),
      ...Array.from({ length: 10 }, () => run('slow', { hook: 'slow.sh', duration_ms: 900 }, 2 * DAY)),
      ...Array.from({ length: 3 }, () => run('rm -rf', { permission: 'deny' }, 3 * HOUR)),
      run('git push', { permission: 'deny' }),
      run('seen', { permission: 'deny', mode: 'observe' }),
      run('asked', { permission: 'ask' }),
      run('broken', { hook: 'broken.sh', outcome: 'failed', permission: null, failed_open: true }),
      run('closed', { hook: 'broken.sh', outcome: 'failed', permission: null }),
      run('before', { permission: 'deny' }, 9 * DAY),
    ])
    await opened.team.records.fold()
    await fileOf(opened, 'd2').send([run('not folded', { permission: 'ask' })], {
      gaps: [{ from: iso(NOW - HOUR), to: iso(NOW - 1000), count: 9, reason: 'full' }],
    })
    const overview = await overviewOf(team, NO_RULES, { from: '', to: '' })
    expect(overview).toMatchObject({
      now: { runs: 109, denials: 4, asks: 2, failedOpen: 1, failures: 2 },
      before: { runs: 1, denials: 1, asks: 0, failedOpen: 0, failures: 0 },
      topDenied: [
        { name: 'rm -rf', count: 3 },
        { name: 'git push', count: 1 },
      ],
      failing: [{ hook: 'broken.sh', runs: 2, failures: 2 }],
      devices: 0,
    })
    expect(overview.slowest[0]).toMatchObject({ hook: 'slow.sh', runs: 10 })
    expect(overview.slowest[0]!.p50Ms).toBeGreaterThan(500)
    expect(overview.slowest[0]!.p95Ms).toBeLessThanOrEqual(1000)
    const guard = overview.slowest.find(({ hook }) => hook === './guard.sh')!
    expect(guard.p50Ms).toBeGreaterThan(10)
    expect(guard.p50Ms).toBeLessThanOrEqual(20)
    const counted = overview.bars.flatMap(({ verdicts }) => [...verdicts.values()]).reduce((a, b) => a + b, 0)
    expect(counted).toBe(109)
  })

  it('an export holds every record as it came', async () => {
    const sent = Array.from({ length: 450 }, (_, index) =>
      run(`command "${index}" ü`, {}, HOUR + (index % 9)),
    )
    const pretty = JSON.stringify(run('pretty'), null, 2)
    await fileOf(opened, 'd1').send([...sent, Buffer.from(pretty)])
    const lines = async (format: string) => {
      const parts: string[] = []
      const signal = new AbortController().signal
      for await (const bytes of exportRecords(opened.team, { filter: filterOf({}), format }, signal))
        parts.push(Buffer.from(bytes).toString())
      expect(parts.length).toBeGreaterThan(1)
      expect(parts.every(part => part.endsWith('\n'))).toBe(true)
      return parts
        .join('')
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
    }
    const rows = await lines('jsonl')
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(rows.map(({ record }) => record).sort(byId)).toEqual([...sent, JSON.parse(pretty)].sort(byId))
    expect(rows[0]).toMatchObject({ device_id: 'd1', received_at: iso(NOW), clock_skew: false })
    const requests = await lines('otlp')
    const logs = requests.flatMap(({ resourceLogs }) =>
      resourceLogs.flatMap(
        ({ scopeLogs }: never) => (scopeLogs as { logRecords: object[] }[])[0]!.logRecords,
      ),
    )
    expect(logs).toHaveLength(451)
    expect(logs[0]).toMatchObject({ severityText: 'INFO', timeUnixNano: expect.stringMatching(/^\d{19}$/) })
    await expect(lines('xml')).rejects.toThrow('format is "xml"; expected jsonl or csv or otlp.')
  })
})

describe.each(DATABASES)('$kind, by hook and by person', ({ create: createDatabase }) => {
  let database: TestDatabase
  let opened: OpenTeam
  const { search, found } = asking(() => opened)
  beforeAll(async () => {
    database = await createDatabase()
    opened = await openTestTeam(database.url, () => NOW)
    const { db } = opened.team.store
    await db
      .insertInto('hooks')
      .values({ name: 'No secrets', draft_version: 0, revision: 1, created_at: 0 } as never)
      .execute()
    for (const [id, owner] of [
      ['d1', 'ann@example.com'],
      ['d2', 'bo@example.com'],
    ] as const)
      await db
        .insertInto('devices')
        .values({ ...DEVICE, id, name: `of ${owner}`, owner } as never)
        .execute()
    const { id } = await db.selectFrom('hooks').select('id').executeTakeFirstOrThrow()
    await fileOf(opened, 'd1').send([
      run('a', { hook: '/home/ann/hooks/no-secrets.sh', hook_id: id, permission: 'deny' }),
      run('=cmd()', { hook: '/home/ann/hooks/no-secrets.sh', hook_id: id }),
    ])
    await fileOf(opened, 'd2').send([
      run('b', { hook: 'C:\\bo\\no-secrets.sh', hook_id: id }),
      run('c', { hook: './no-secrets.sh', source: 'project' }),
    ])
  })
  afterAll(async () => {
    await opened.close()
    await database.drop()
  })

  it('a hook of the team is one hook on all devices, under its name', async () => {
    const { hooks, owners, devices } = await facetsOf(opened.team, filterOf({}))
    expect(hooks).toEqual([
      { name: '#1', label: 'No secrets', count: 3 },
      { name: './no-secrets.sh', label: '', count: 1 },
    ])
    expect(owners).toEqual([
      { name: 'ann@example.com', label: '', count: 2 },
      { name: 'bo@example.com', label: '', count: 2 },
    ])
    expect(devices.map(({ name, label }) => [name, label])).toEqual([
      ['d1', 'of ann@example.com'],
      ['d2', 'of bo@example.com'],
    ])
    expect(await found({ hooks: ['#1'] })).toEqual(['=cmd()', 'a', 'b'])
    const { records, names } = await search({ hooks: ['#1'] })
    expect(new Set(records.map(({ hook }) => names.hooks.get(hook)))).toEqual(new Set(['No secrets']))
    const overview = await overviewOf(opened.team, NO_RULES, { from: '', to: '' })
    expect(overview.slowest.map(({ hook, label, runs }) => [hook, label, runs]).sort()).toEqual([
      ['#1', 'No secrets', 3],
      ['./no-secrets.sh', '', 1],
    ])
  })

  it('a facet counts without its own filter, and with the filters of the others', async () => {
    const filter = { owners: ['bo@example.com'], excluded: { hooks: ['#1'] } }
    const { hooks, owners, devices } = await facetsOf(opened.team, filterOf(filter))
    expect(hooks.map(({ name, count }) => [name, count])).toEqual([
      ['#1', 1],
      ['./no-secrets.sh', 1],
    ])
    expect(owners.map(({ name, count }) => [name, count])).toEqual([['bo@example.com', 1]])
    expect(devices.map(({ name, count }) => [name, count])).toEqual([['d2', 1]])
  })

  it('a table for spreadsheets never holds a formula', async () => {
    const parts: string[] = []
    const filter = filterOf({ owners: ['ann@example.com'] })
    for await (const bytes of exportRecords(
      opened.team,
      { filter, format: 'csv' },
      new AbortController().signal,
    ))
      parts.push(Buffer.from(bytes).toString())
    const [head, ...rows] = parts.join('').trimEnd().split('\r\n')
    expect(head).toMatch(/^"time","device_name","device_owner","hook_name","shown_verdict","id",/)
    const named = rows.map(row =>
      Object.fromEntries(row.split(',').map((cell, at) => [head!.split(',')[at], cell])),
    )
    expect(named).toMatchObject([
      {
        '"device_name"': '"of ann@example.com"',
        '"device_owner"': '"ann@example.com"',
        '"hook_name"': '"No secrets"',
        '"shown_verdict"': '"deny"',
        '"hook_id"': '1',
        '"duration_ms"': '12.5',
        '"summary"': '"a"',
      },
      { '"shown_verdict"': '"allow"', '"summary"': `"'=cmd()"` },
    ])
  })
})

describe.each(DATABASES)('$kind, what takes too long', ({ kind, create: createDatabase }) => {
  it('is broken off with a reason, and holds up neither the server nor the next question', async () => {
    const database = await createDatabase()
    const opened = await openTestTeam(database.url, () => NOW)
    const reader = openReader(opened.team.store, 500)
    try {
      // A thread cannot be interrupted while it counts, so it should not count for much longer than the limit.
      const endless =
        kind === 'postgres'
          ? sql`select pg_sleep(60)`
          : sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 8000000) select count(*) from n`
      let ticks = 0
      const clock = setInterval(() => ticks++, 10)
      const asked = inTime(endless.execute(reader.db))
      await expect(asked).rejects.toThrow(
        /^This query took too long and was cancelled\. Choose a shorter time range/,
      )
      clearInterval(clock)
      expect(ticks).toBeGreaterThan(3)
      expect((await sql<{ n: number }>`select 1 as n`.execute(reader.db)).rows).toEqual([{ n: 1 }])
    } finally {
      await reader.close()
      await opened.close()
      await database.drop()
    }
  })
})

it('a file that is closed in the middle of questions takes nobody along', async () => {
  const database = await SQLITE.create()
  const opened = await openTestTeam(database.url, () => NOW)
  try {
    for (let round = 0; round < (runsEverything ? 40 : 3); round++) {
      const reader = openReader(opened.team.store)
      const ask = () => sql<{ n: number }>`select 1 as n`.execute(reader.db)
      await ask()
      // In the thread's own call, practically always: there are more of them than can be answered.
      const asked = Promise.allSettled(Array.from({ length: 20 }, ask))
      await new Promise(resolve => setTimeout(resolve, Math.random() * 2))
      await reader.close()
      const answers = await asked
      for (const answer of answers)
        if (answer.status === 'fulfilled') expect(answer.value.rows).toEqual([{ n: 1 }])
    }
  } finally {
    await opened.close()
    await database.drop()
  }
})

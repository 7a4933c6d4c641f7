// The queries of the dashboard over many records, sent as the server sends them.

import pg from 'pg'
import { median, report } from '../measure.mjs'
import { load } from '../sources.mjs'

/** HOLDFAST_BENCH_RECORDS=200000 gives a quick result. */
const RECORDS = Number(process.env.HOLDFAST_BENCH_RECORDS ?? 5_000_000)
const DAYS = 30
const DEVICES = 500
const HOOKS = 60
const ROUNDS = 11
const BAR_MS = 300
const DAY_MS = 86_400_000

export async function measure() {
  const parts = await load(
    'tests/team/postgres.ts',
    'tests/team/records.ts',
    'packages/server/src/audit/counts.ts',
    'packages/server/src/audit/facets.ts',
    'packages/server/src/audit/overview.ts',
    'packages/server/src/audit/search.ts',
    'packages/server/src/audit/retention.ts',
  )
  const { url, stop } = await parts.startPostgres()
  try {
    const opened = await parts.openTestTeam(url, Date.now)
    try {
      await fill(url, opened)
      await ask(parts, opened.team)
    } finally {
      await opened.close()
    }
  } finally {
    await stop()
  }
}

async function ask(parts, team) {
  const iso = days => new Date(Date.now() - days * DAY_MS).toISOString()
  const month = { from: iso(DAYS), to: '' }
  const list = (filter, pageToken = '') =>
    parts.searchRecords(team, { filter: { ...EMPTY, ...filter }, pageSize: 50, pageToken })
  const count = filter => parts.countRecords(team, { filter: { ...EMPTY, ...filter }, buckets: 60 })
  const { records, nextPageToken } = await list(month)
  const subjects = {
    'overview of 30 days': () => parts.overviewOf(team, NO_RULES, month),
    'first page of 30 days': () => list(month),
    'next page of 30 days': () => list(month, nextPageToken),
    'first page of denials': () => list({ ...month, verdicts: ['deny'] }),
    'first page of one hook': () => list({ ...month, hooks: ['./hooks/guard-7.sh'] }),
    'first page of one device': () => list({ ...month, deviceIds: ['device7'] }),
    'first page of one conversation': () => list({ ...month, conversationId: records[0].conversation_id }),
    'first page of a rare text, 7 days': () => list({ text: 'report-4711.' }),
    'first page of a common text, 7 days': () => list({ text: 'git push' }),
    'facets of 7 days': () => parts.facetsOf(team, EMPTY),
    'facets of denials, 7 days': () => parts.facetsOf(team, { ...EMPTY, verdicts: ['deny'] }),
    'histogram of 30 days': () => count(month),
    'histogram of 7 days': () => count({}),
    'histogram of one hook, 30 days': () => count({ ...month, hooks: ['./hooks/guard-7.sh'] }),
    'histogram of one device, 7 days': () => count({ deviceIds: ['device7'] }),
    'histogram of a rare text, 7 days': () => count({ text: 'report-4711.' }),
  }
  for (const [title, subject] of Object.entries(subjects)) {
    const times = []
    for (let round = -2; round < ROUNDS; round++) {
      const began = performance.now()
      await subject()
      if (round >= 0) times.push(performance.now() - began)
    }
    const worst = Math.max(...times)
    report(`${title}`, median(times), BAR_MS, 'ms', `worst ${worst.toFixed(0)} ms`)
  }
}

/** No release exists, so the state of every device follows from its own report. */
const NO_RULES = async () => ({
  now: Date.now(),
  isKilled: false,
  pins: [],
  rings: [{ name: 'all', share: 1 }],
  releases: [],
})
const EMPTY = {
  from: '',
  to: '',
  events: [],
  hooks: [],
  deviceIds: [],
  verdicts: [],
  text: '',
  release: 0,
  conversationId: '',
}

/** Written directly and without durability: the database is deleted afterwards. */
async function fill(url, { team }) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const began = performance.now()
  const say = text => process.stderr.isTTY && process.stderr.write(`\r  ${text.padEnd(70)}`)
  try {
    for (const setting of ['fsync = off', 'full_page_writes = off', "max_wal_size = '4GB'"])
      await client.query(`alter system set ${setting}`)
    await client.query('select pg_reload_conf()')
    await client.query("set synchronous_commit = off; set maintenance_work_mem = '256MB'")
    const today = Math.floor(Date.now() / DAY_MS)
    for (let day = today - DAYS; day <= today; day++) {
      await team.records.prepare(day * DAY_MS)
    }
    const { rows: indexes } = await client.query(
      "select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index where indrelid = 'records'::regclass and not indisprimary",
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    const each = Math.ceil(RECORDS / DAYS)
    for (let day = today - DAYS; day < today; day++) {
      say(`filling ${each * (day - today + DAYS)} of ${RECORDS} records`)
      await client.query(FILL, [day, each])
    }
    for (const { name, text } of indexes) {
      say(`making the index ${name}`)
      await client.query(text.replace(' ON ONLY ', ' ON '))
    }
    say('adding up')
    await client.query(SUM_UP)
    await client.query(DAYS_UP)
    await client.query(DEVICES_IN, [DEVICES, Date.now()])
    say('analysing')
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  say('')
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(`          ${RECORDS} records over ${DAYS} days, filled in ${seconds} s\n`)
}

/** One day, spread over its hours, with a few notable ones. */
const FILL = `
insert into records
select $1, lpad(base36, 9, '0') || '-' || lpad(to_hex(i % 65536), 4, '0') || '-' || md5(i::text), at, at + 3000,
  'device' || (i * 7919 % ${DEVICES}), (array['beforeShellExecution','beforeReadFile','afterFileEdit','beforeSubmitPrompt','stop'])[i % 5 + 1],
  './hooks/guard-' || (i * 31 % ${HOOKS}) || '.sh', i * 31 % ${HOOKS}, 'team',
  case when i % 40 = 0 then 'deny' when i % 97 = 0 then 'ask' when i % 211 = 0 then 'failed' when i % 3 = 0 then 'none' else 'allow' end,
  case when i % 422 = 0 and i % 40 <> 0 and i % 97 <> 0 then 1 else 0 end, 0, 5 + i * 37 % 200, 10 + $1 % 4, 3, 0,
  'conversation-' || (i / 40) || '-' || $1,
  (array['git status','git push origin main','npm test -- --run packages/server','rm -rf build/output','docker compose up -d database','kubectl apply -f deploy/service.yaml','python3 scripts/report.py --out','curl -fsSL https://example.com/install.sh'])[i % 8 + 1] || ' report-' || (i * 7 % 20011) || '.txt',
  '{"id":"x","request":{"command":"' || repeat(md5(i::text), 18) || '"}}'
from (
  select i, $1::bigint * 86400000 + i * 86400000 / $2 as at,
    (select string_agg(substr('0123456789abcdefghijklmnopqrstuvwxyz', (($1::bigint * 86400000 + i * 86400000 / $2) / power(36, d)::bigint % 36)::int + 1, 1), '' order by d desc) from generate_series(0, 7) d) as base36
  from generate_series(0::bigint, $2::bigint - 1) as i
) as made`

const SHOWN =
  "case when failed_open = 1 then 'failed_open' when observed = 1 and verdict = 'deny' then 'observed_deny' else verdict end"

const SUM_UP = `
insert into rollup
select span, at / 3600000 - at / 3600000 % span, hook, event, release, ${SHOWN}, count(*), sum(duration_ms),
  ${[0, 2, 5, 10, 20, 35, 50, 75, 100, 150, 250, 500, 1000, 3000, 10_000, 60_000]
    .map((low, index, all) => {
      const high = all[index + 1]
      return `count(*) filter (where duration_ms > ${index === 0 ? -1 : low}${high === undefined ? '' : ` and duration_ms <= ${high}`})`
    })
    .join(', ')}
from records, (values (1), (24)) as spans (span) group by 1, 2, 3, 4, 5, 6`

const DAYS_UP = 'insert into device_days select at / 86400000, device_id, count(*) from records group by 1, 2'

const DEVICES_IN = `
insert into devices (id, name, operating_system, os_version, client_version, "group", enrolled_at, enrolled_by, token_id, last_seen_at, release, release_hash, trust_version, state, problems, queued, place, looks_cloned, lease_seq)
select 'device' || i, 'laptop ' || i, 'Linux', '', '', '', 0, '', '', $2::bigint, 0, '', 0, 'in_sync', '[]', 0, 0, 0, 0 from generate_series(0, $1::int - 1) as i`

// A fleet on two servers with PostgreSQL: the cost of waiting devices, the time until a release reaches them, token
// renewal, a restart of both servers, and the lists of the dashboard. The limit of open files per process bounds the
// devices per server: HOLDFAST_BENCH_DEVICES=100000 starts as many servers as that limit requires. HOLDFAST_BENCH_FLEET=lists
// or =polls measures only this part.

import { execSync, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { report } from '../measure.mjs'
import { load } from '../sources.mjs'
import { startTeam } from '../team-server.mjs'

const DEVICES = Number(process.env.HOLDFAST_BENCH_DEVICES ?? 2000)
const FILES = Number(execSync('ulimit -n', { shell: '/bin/sh' }).toString()) || 100_000
const PER_PROCESS = FILES - 500
const PROCESSES = Math.max(2, Math.ceil(DEVICES / PER_PROCESS))
const STEADY_MS = 60_000
const RENEWALS = 50
const MOST_MS = 300_000
const PART = process.env.HOLDFAST_BENCH_FLEET

export async function measure() {
  const { startPostgres } = await load('tests/team/postgres.ts')
  const postgres = await startPostgres(['synchronous_commit=off', 'shared_buffers=256MB'])
  const database = new pg.Client({ connectionString: postgres.url })
  await database.connect()
  const team = await startTeam({ database: postgres.url })
  const others = []
  const clients = []
  try {
    await database.query(ENROL, [DEVICES, Date.now()])
    await database.query('analyze')
    await (await team.publish('first'))()
    if (PART !== 'polls') await lists(team, database)
    if (PART === 'lists') return
    while (others.length + 1 < PROCESSES) others.push(await team.another())
    const urls = [team.url, ...others.map(({ url }) => url)]
    await fleet({ team, urls, clients, database, others })
  } finally {
    for (const client of clients) client.kill('SIGKILL')
    for (const other of others) await other.stop()
    await team.stop()
    await database.end()
    await postgres.stop()
  }
}

async function fleet({ team, urls, clients, database, others }) {
  const script = fileURLToPath(new URL('../fleet-client.mjs', import.meta.url))
  const ask = (client, order) =>
    new Promise(resolve => {
      client.once('message', resolve)
      client.send(order)
    })
  const all = async (order = {}) => {
    const counts = await Promise.all(clients.map(client => ask(client, order)))
    return counts.reduce((sum, one) =>
      Object.fromEntries(Object.keys(sum).map(key => [key, sum[key] + one[key]])),
    )
  }
  const figures = async name => {
    let sum = 0
    for (const url of urls) {
      // A server that starts, or serves thousands, may not answer in time.
      const text = await fetch(`${url}/metrics`).then(
        response => response.text(),
        () => '',
      )
      sum += Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
    }
    return sum
  }
  const until = async (title, reached) => {
    const began = performance.now()
    for (;;) {
      const ms = performance.now() - began
      if (await reached()) return ms / 1000
      if (ms > MOST_MS) throw new Error(`${title}: not within ${MOST_MS / 1000} s.`)
      await new Promise(resolve => setTimeout(resolve, 250))
    }
  }
  const most = Math.floor(DEVICES * 0.99)
  const transactions = async () => {
    await database.query('select pg_stat_clear_snapshot()')
    const { rows } = await database.query('select sum(xact_commit) as count from pg_stat_database')
    return Number(rows[0].count)
  }

  const before = await figures('process_resident_memory_bytes')
  const each = Math.ceil(DEVICES / PROCESSES)
  for (let from = 0; from < DEVICES; from += each) {
    const client = fork(script, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    clients.push(client)
    const withinMs = Math.max(5000, DEVICES)
    await ask(client, { start: { from, to: Math.min(DEVICES, from + each), urls, withinMs } })
  }
  await all({ round: 1 })
  await until('connecting', async () => (await figures('holdfast_waiting_polls')) >= most)

  const [polls, queries] = [(await all()).unchanged, await transactions()]
  await new Promise(resolve => setTimeout(resolve, STEADY_MS))
  const unchanged = (await all()).unchanged - polls
  const asked = (await transactions()) - queries
  const detail = `${asked} transactions of all servers and jobs, ${unchanged} polls`
  report(`${DEVICES} devices: transactions per unchanged poll`, asked / unchanged, 0.1, '', detail)
  const memory = ((await figures('process_resident_memory_bytes')) - before) / DEVICES / 1024
  report('memory for each device that waits', memory, 20, 'KB', `${PROCESSES} servers`)

  const cpu = () => [team, ...others].reduce((sum, { pid }) => sum + cpuOf(pid()), 0)
  const publish = await team.publish('second')
  const cpuBefore = cpu()
  await all({ round: 2 })
  const published = publish()
  const reached = await until('publishing', async () => (await all()).taken >= most)
  await published
  await until('reporting', async () => (await all()).reported >= most)
  await until('waiting', async () => (await figures('holdfast_waiting_polls')) >= most)
  const used = cpu() - cpuBefore
  const { failed, wrong } = await all()
  // The machine may be busy with other work; the CPU time is that of the servers alone.
  const cost = `${used.toFixed(1)} s of CPU in ${PROCESSES} servers, ${((used / DEVICES) * 1000).toFixed(2)} ms a device`
  report('publish until 99 % have the release', reached, 90, 's', `${cost}, ${failed} failed calls`)
  report('responses that were for another device', wrong, 0, '')

  const start = await transactions()
  const was = (await all({ renew: Math.min(RENEWALS, DEVICES) })).unchanged
  await new Promise(resolve => setTimeout(resolve, STEADY_MS))
  const renewed = (await transactions()) - start
  const meanwhile = (await all()).unchanged - was
  report(
    `transactions per unchanged poll while ${RENEWALS} tokens of each process are renewed`,
    renewed / meanwhile,
    0.5,
    '',
    `${renewed} of ${meanwhile} polls`,
  )

  await Promise.all([team.restart(), ...others.map(other => other.restart())])
  const back = await until('returning', async () => (await figures('holdfast_waiting_polls')) >= most)
  report('kill and start of all servers until 99 % wait again', back, 90, 's')
}

/** Seconds of CPU time that a process has used. Unlike wall time it does not depend on other load. */
function cpuOf(pid) {
  const text = execSync(`ps -o cputimes= -p ${pid}`).toString()
  return Number(text)
}

async function lists({ call, publish }, database) {
  await (await publish('newer'))()
  await database.query(`update devices set release = i % 3, state = 'in_sync',
    last_seen_at = last_seen_at - case when i % 11 = 0 then 400000000 else 0 end,
    problems = case when i % 13 = 0 then '[{"code":"downgrade","message":"older","at":""}]' else problems end
    from (select id, row_number() over (order by id) as i from devices) as numbered where numbered.id = devices.id`)
  await database.query(`insert into evidence select 2, id, 1 + length(name) * 3, 0, 0, 0, 0 from devices`)
  await database.query('vacuum analyze')
  const questions = {
    'first page of devices': ['DevicesService/ListDevices', { pageSize: 50 }],
    'devices by name': ['DevicesService/ListDevices', { pageSize: 50, query: 'laptop-77' }],
    'devices by state': ['DevicesService/ListDevices', { pageSize: 50, state: 'behind' }],
    'devices by group': ['DevicesService/ListDevices', { pageSize: 50, group: 'group 3' }],
    'devices by release': ['DevicesService/ListDevices', { pageSize: 50, release: 2 }],
    'counts of devices': ['DevicesService/CountDevices', {}],
    overview: ['AuditService/GetOverview', {}],
    'newest release with its rings': ['RolloutService/GetRelease', { number: 2 }],
  }
  for (const [title, [method, message]] of Object.entries(questions)) {
    const times = []
    for (let round = 0; round < 5; round++) {
      const began = performance.now()
      await call(method, message)
      times.push(performance.now() - began)
    }
    const [, , middle] = times.toSorted((a, b) => a - b)
    report(`${title}, of ${DEVICES}`, middle, 300, 'ms', `worst ${Math.max(...times).toFixed(0)} ms`)
  }
}

/** The rows that enrolment would write, with tokens that bench/fleet-client.mjs knows. */
const ENROL = `
with made as (
  select i, lpad(to_hex(i), 16, '0') as token, lpad(to_hex(i), 32, '0') as id,
    encode(sha256((md5(i::text) || md5(i || 'x'))::bytea), 'hex') as hash
  from generate_series(0, $1::int - 1) as i
), tokens_made as (
  insert into tokens (id, kind, secret_hash, owner, name, role, created_at, expires_at, last_used_at, revoked_at)
  select token, 'device', hash, id, '', '', $2::bigint, $2::bigint + 7776000000, 0, null from made
)
insert into devices (id, name, operating_system, os_version, client_version, "group", enrolled_at, enrolled_by,
  enrolment_key, token_id, last_seen_at, release, release_hash, trust_version, state, problems, queued, place, revoked_at,
  looks_cloned, lease_seq)
select id, 'laptop-' || i, 'Linux', '6.1', '1.0.0', 'group ' || i % 20, $2::bigint, 'bench', null, token, $2::bigint, 0, '', 1,
  'no_bundle', '[]', 0, (i * 7919 % 100003) / 100003.0, null, 0, 0
from made`

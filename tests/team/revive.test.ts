// After a restart of the machine nothing has started the refresh; the next event of an agent does. Real processes
// throughout.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { scriptedModel, startAgent } from '@holdfast/hosts/ai-sdk'
import { refreshOf } from '@holdfast/hosts/team'
import { DevicesService } from '@holdfast/team'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { itInAll, runsEverything } from '../scope.js'
import { fire, holdfast } from './command.js'
import { SQLITE, type TestDatabase } from './databases.js'
import { callerOf, seatMember, startTestServer, type TestServer } from './server.js'

const AT_ONCE = runsEverything ? [1, 2, 3, 4, 5] : [1, 2, 3]

let database: TestDatabase
let server: TestServer
let home: string
let pids: number[] = []
beforeEach(async () => {
  database = await SQLITE.create()
  server = await startTestServer(database.url)
  home = mkdtempSync(join(tmpdir(), 'holdfast-revive-'))
  pids = []
})
afterEach(async () => {
  const last = holder()
  for (const pid of last ? [...pids, last] : pids) kill(pid)
  await server.close()
  await database.drop()
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
})

const holder = (): number | undefined => {
  try {
    return JSON.parse(readFileSync(refreshOf(home).lock, 'utf8')).pid
  } catch {
    return undefined
  }
}
function kill(pid: number) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}
/** Every refresh that ever started logs once if it finds another one running. */
const turnedAway = () => readFileSync(refreshOf(home).log, 'utf8').split('runs already').length - 1
const claims = () =>
  existsSync(join(home, '.holdfast'))
    ? readdirSync(join(home, '.holdfast')).filter(name => /^team-refresh-\d+$/.test(name))
    : []
/** One starts in each five-minute window of the clock: no test runs on the border of two windows. */
async function awayFromTheEdge() {
  const left = 300_000 - (Date.now() % 300_000)
  if (left < 20_000) await new Promise(resolve => setTimeout(resolve, left))
}

async function login(...more: string[]) {
  const devices = callerOf(server.url, await seatMember(server, 'admin'))(DevicesService)
  const { secret } = await devices.createEnrolmentKey({ maxUses: 1, hours: 1 })
  const { code, stderr } = await holdfast(home, ['login', server.url, '--key', secret, '--yes', ...more])
  expect(code, stderr).toBe(0)
}
async function alive(): Promise<number> {
  await expect.poll(holder, { timeout: 20_000 }).toBeTypeOf('number')
  pids.push(holder()!)
  return holder()!
}
async function killed(pid: number) {
  kill(pid)
  await expect.poll(() => isGone(pid), { timeout: 10_000 }).toBe(true)
}
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
const statusOf = async () => JSON.parse((await holdfast(home, ['team', '--json'])).stdout)[0]

it('is restarted once by any number of events, and not again at once', {
  timeout: 90_000,
}, async () => {
  await awayFromTheEdge()
  await login()
  const first = await alive()
  expect(await statusOf()).toMatchObject({ background: true })
  await fire(home, 'ls')
  expect(holder()).toBe(first)
  expect(claims()).toEqual([])

  await killed(first)
  expect(await statusOf()).toMatchObject({ background: false })
  const fired = await Promise.all(AT_ONCE.map(n => fire(home, `echo ${n}`)))
  expect(fired.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(AT_ONCE.map(() => '0'))
  await expect.poll(() => holder() !== first, { timeout: 20_000 }).toBe(true)
  const second = await alive()
  expect(claims()).toHaveLength(1)
  expect(turnedAway()).toBe(0)

  // A refresh that ends at once must not start again at every event.
  await killed(second)
  await fire(home, 'ls')
  await new Promise(resolve => setTimeout(resolve, 1500))
  expect(holder()).toBe(second)
  for (const name of claims()) rmSync(join(home, '.holdfast', name))
  writeFileSync(join(home, '.holdfast', 'team-refresh-1'), '')
  await holdfast(home, ['bridge', 'claude-code', '--enterprise', join(home, 'none')])
  await expect.poll(() => holder() !== second, { timeout: 20_000 }).toBe(true)
  await alive()
  expect(claims()).not.toContain('team-refresh-1')
})

itInAll('one of several that start at the same time keeps running', { timeout: 60_000 }, async () => {
  await login('--no-background')
  const watching = AT_ONCE.map(() => holdfast(home, ['team', 'watch']))
  let over = 0
  for (const one of watching) one.then(() => over++)
  await expect.poll(() => over, { timeout: 20_000 }).toBe(AT_ONCE.length - 1)
  process.kill(await alive(), 'SIGTERM')
  const ended = await Promise.all(watching)
  expect(ended.filter(({ stdout }) => stdout.includes('is already running'))).toHaveLength(AT_ONCE.length - 1)
})

itInAll(
  'is left alone where nobody wants it: no team, --no-background, a team that was left',
  {
    timeout: 90_000,
  },
  async () => {
    await fire(home, 'ls')
    expect(existsSync(join(home, '.holdfast', 'log', 'team.log'))).toBe(false)
    await login('--no-background')
    await fire(home, 'ls')
    expect(existsSync(refreshOf(home).log)).toBe(false)
    expect(claims()).toEqual([])

    await holdfast(home, ['team', 'sync'])
    const pid = await alive()
    expect(existsSync(refreshOf(home).wanted)).toBe(true)
    await holdfast(home, ['team', 'leave'])
    expect(existsSync(refreshOf(home).wanted)).toBe(false)
    await expect.poll(() => isGone(pid), { timeout: 20_000 }).toBe(true)
    await fire(home, 'ls')
    expect(claims()).toEqual([])
  },
)

itInAll('an agent of the AI SDK restarts it, and a dry run does not', { timeout: 60_000 }, async () => {
  await login()
  const first = await alive()
  await killed(first)
  const begin = async (rehearsal: boolean) => {
    const hooks = await openHooks({ workspaceRoots: [], home, enterpriseDir: join(home, 'none'), rehearsal })
    const agent = await startAgent({ hooks, model: scriptedModel([]), cwd: home } as never)
    await agent.end()
    hooks.close()
  }
  await begin(true)
  await holdfast(home, ['test', '--root', home])
  await new Promise(resolve => setTimeout(resolve, 1000))
  expect(claims()).toEqual([])
  expect(holder()).toBe(first)
  await begin(false)
  await expect.poll(() => holder() !== first, { timeout: 20_000 }).toBe(true)
  await alive()
})

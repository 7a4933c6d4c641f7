// When the background refresh is started again: it is wanted, none is alive, and none was started just before.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, refreshOf, revive } from './revive.js'

const NOBODY = 2 ** 22 + 12345
const SLOT_MS = 5 * 60_000
const NOW = 1000 * SLOT_MS
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-revive-'))
  mkdirSync(join(home, '.holdfast'))
})
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

const want = (start: unknown) => writeFileSync(refreshOf(home).wanted, JSON.stringify({ start }))
const ECHO = ['/bin/sh', '-c', 'pwd; echo "$0 $NO_COLOR"', 'began']
const logged = () => (existsSync(refreshOf(home).log) ? readFileSync(refreshOf(home).log, 'utf8') : '')
const claims = () => readdirSync(join(home, '.holdfast')).filter(name => /^team-refresh-\d+$/.test(name))
function hold(holder: object | string, at = NOW) {
  const { lock } = refreshOf(home)
  writeFileSync(lock, typeof holder === 'string' ? holder : JSON.stringify(holder))
  utimesSync(lock, at / 1000, at / 1000)
}

describe('a holder of the lock', () => {
  it.each([
    ['is this process', { pid: process.pid, host: hostname() }, 0, true],
    ['has ended', { pid: NOBODY, host: hostname() }, 0, false],
    ['is on another machine', { pid: NOBODY, host: 'elsewhere' }, 0, true],
    ['is not named yet', {}, 0, true],
    ['touched it 20 seconds ago', { pid: process.pid, host: hostname() }, 20_000, true],
    ['touched it longer ago', { pid: process.pid, host: hostname() }, 20_001, false],
    ['is on another machine, and touched it longer ago', { pid: NOBODY, host: 'elsewhere' }, 20_001, false],
  ])('%s', (_, holder, ageMs, alive) => {
    hold(holder, NOW - ageMs)
    expect(isAlive(refreshOf(home), NOW)).toBe(alive)
  })

  it('counts as alive while its lock cannot be read, and there is none without a lock', () => {
    expect(isAlive(refreshOf(home), NOW)).toBe(false)
    hold('{')
    expect(isAlive(refreshOf(home), NOW)).toBe(true)
  })
})

describe.runIf(process.platform !== 'win32')('the refresh', () => {
  it('is started as it was written down, with a log for its owner only', async () => {
    want(ECHO)
    expect(await revive(home, NOW)).toBe(true)
    await expect.poll(logged).toMatch(/\nbegan 1\n$/)
    expect(logged()).toContain(home)
    expect(statSync(refreshOf(home).log).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, '.holdfast/log')).mode & 0o777).toBe(0o700)
  })

  it('is started once in five minutes', async () => {
    want(ECHO)
    const starts = await Promise.all([revive(home, NOW), revive(home, NOW), revive(home, NOW + SLOT_MS - 1)])
    expect(starts).toEqual([true, false, false])
    expect(claims()).toEqual(['team-refresh-1000'])
    expect(await revive(home, NOW + SLOT_MS)).toBe(true)
    expect(claims()).toEqual(['team-refresh-1001'])
    await expect.poll(() => logged().match(/began/g)?.length).toBe(2)
  })

  it('is not started where it is not wanted, or one is alive', async () => {
    expect(await revive(home, NOW)).toBe(false)
    want(ECHO)
    hold({ pid: process.pid, host: hostname() })
    expect(await revive(home, NOW)).toBe(false)
    expect(claims()).toEqual([])
    expect(existsSync(refreshOf(home).log)).toBe(false)
  })

  it.each([[[]], ['sh'], [[1]], [['sh', 1]], [undefined]])('is not started by %j', async words => {
    want(words)
    expect(await revive(home, NOW)).toBe(false)
    expect(existsSync(refreshOf(home).log)).toBe(false)
  })

  it('that cannot be started or read throws nothing', async () => {
    want(['/does/not/exist'])
    expect(await revive(home, NOW)).toBe(true)
    writeFileSync(refreshOf(home).wanted, '{')
    expect(await revive(home, NOW + SLOT_MS)).toBe(false)
  })
})

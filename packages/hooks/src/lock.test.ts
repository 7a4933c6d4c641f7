// One holder at a time: a live holder keeps its lock, and the lock of a dead one is taken over.

import fs, {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Held, lock } from './lock.js'

const { renameSync } = fs
const NOBODY = 2 ** 22 + 12345
const STALE_MS = 20_000
let folder: string
let file: string
const held: (Held | undefined)[] = []
let count = 0
const around = { sleep: async () => {}, random: () => 0, unique: () => `unique-${++count}` }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
  file = join(folder, 'lock')
})
afterEach(() => {
  for (const one of held.splice(0)) one?.release()
  vi.useRealTimers()
  vi.restoreAllMocks()
  Object.assign(fs, { renameSync })
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true, force: true })
})

/** Does not wait: undefined if the lock is held. */
async function take(): Promise<Held | undefined> {
  const one = await lock(file, around, -1)
  held.push(one)
  return one
}
const write = (holder: object, ageMs = 0) => {
  writeFileSync(file, JSON.stringify(holder))
  const at = new Date(Date.now() - ageMs)
  utimesSync(file, at, at)
}

describe('a lock', () => {
  it('has one holder, is written for its owner only, and is gone after its release', async () => {
    const first = await take()
    expect(first?.isMine()).toBe(true)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() })
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await take()).toBeUndefined()
    first?.release()
    expect(readdirSync(folder)).toEqual([])
    expect((await take())?.isMine()).toBe(true)
  })

  it.each([
    ['a live process of this machine', { pid: process.pid, host: hostname() }, 0, false],
    ['a dead process of this machine', { pid: NOBODY, host: hostname() }, 0, true],
    ['a process of another machine', { pid: NOBODY, host: 'elsewhere' }, 0, false],
    ['a holder that is not named yet', {}, 0, false],
    ['a holder named by a text', { pid: `${NOBODY}`, host: hostname() }, 0, false],
    ['another machine, just within the time', { pid: NOBODY, host: 'elsewhere' }, STALE_MS - 5000, false],
    ['another machine, not touched for too long', { pid: NOBODY, host: 'elsewhere' }, STALE_MS + 5000, true],
    [
      'a live process that has not touched it for too long',
      { pid: process.pid, host: hostname() },
      STALE_MS + 5000,
      true,
    ],
  ])('of %s', async (_, holder, ageMs, isTaken) => {
    write({ token: 'x', ...holder }, ageMs)
    const mine = await take()
    expect(mine?.isMine() ?? false).toBe(isTaken)
    expect(readFileSync(file, 'utf8').includes('"token":"x"')).toBe(!isTaken)
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('is touched each second while it is held', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const mine = await take()
    const old = new Date(Date.now() - STALE_MS - 5000)
    utimesSync(file, old, old)
    vi.advanceTimersByTime(1000)
    expect(statSync(file).mtimeMs).toBeGreaterThan(old.getTime() + STALE_MS)
    mine?.release()
    expect(vi.getTimerCount()).toBe(0)
  })

  it.runIf(process.platform !== 'win32')('of a live process of another user is kept', async () => {
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    })
    write({ pid: NOBODY, host: hostname(), token: 'x' })
    expect(await take()).toBeUndefined()
  })

  it('that another process took over first is put back', async () => {
    write({ pid: NOBODY, host: hostname(), token: 'dead' })
    Object.assign(fs, {
      renameSync: (from: string, to: string) => {
        write({ pid: process.pid, host: hostname(), token: 'other' })
        renameSync(from, to)
      },
    })
    syncBuiltinESMExports()
    expect(await take()).toBeUndefined()
    expect(readFileSync(file, 'utf8')).toContain('"other"')
    expect(readdirSync(folder)).toEqual(['lock'])
  })

  it('that another process has taken over is not released by its first holder', async () => {
    const mine = await take()
    write({ pid: process.pid, host: hostname(), token: 'other' })
    expect(mine?.isMine()).toBe(false)
    mine?.release()
    expect(existsSync(file)).toBe(true)
  })
})

it('the next holder removes the temporary files of processes that were killed', async () => {
  const old = new Date(Date.now() - STALE_MS - 5000)
  writeFileSync(join(folder, 'lock.dead'), JSON.stringify({ pid: NOBODY, host: hostname() }))
  writeFileSync(join(folder, 'lock.live'), JSON.stringify({ pid: process.pid, host: hostname() }))
  for (const name of ['lock.new-killed', 'lock.old', 'other.old']) writeFileSync(join(folder, name), '')
  for (const name of ['lock.old', 'other.old']) utimesSync(join(folder, name), old, old)
  await take()
  expect(readdirSync(folder).sort()).toEqual(['lock', 'lock.live', 'other.old'])
})

it('a process whose temporary file the holder removed tries again', async () => {
  const { linkSync } = fs
  let isFirst = true
  Object.assign(fs, {
    linkSync: (from: string, to: string) => {
      if (isFirst) rmSync(from)
      isFirst = false
      linkSync(from, to)
    },
  })
  syncBuiltinESMExports()
  const mine = await lock(file, around, 1000)
  held.push(mine)
  Object.assign(fs, { linkSync })
  expect(mine?.isMine()).toBe(true)
})

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
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rewrite } from './lock.js'

let folder: string
let file: string
let lock: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
  file = join(folder, 'shared.json')
  lock = `${file}.lock`
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

const age = (ms: number) => utimesSync(lock, new Date(Date.now() - ms), new Date(Date.now() - ms))

describe('rewriting a file under a lock', () => {
  it('keeps the lock fresh for as long as the work takes, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    await rewrite(file, () => {
      for (let second = 0; second < 3; second++) {
        age(60_000)
        vi.advanceTimersByTime(1000)
        expect(Date.now() - statSync(lock).mtimeMs).toBeLessThan(50_000)
      }
      // Touching a lock that another process took away is not an error.
      const mark = readFileSync(lock)
      rmSync(lock)
      vi.advanceTimersByTime(1000)
      expect(existsSync(lock)).toBe(false)
      writeFileSync(lock, mark)
      return 'new'
    })
    expect(vi.getTimerCount()).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe('new')
  })

  it('removes the temporary files of processes that were killed', async () => {
    const names = [
      'shared.json.lock.new-12-a1',
      'shared.json.lock.12-a1',
      'shared.json.lock.13-b2',
      'shared.json.bak-1',
    ]
    for (const name of names) writeFileSync(join(folder, name), '')
    utimesSync(join(folder, names[1]!), 0, 0)
    await rewrite(file, () => '')
    expect(readdirSync(folder).sort()).toEqual(['shared.json', 'shared.json.bak-1', 'shared.json.lock.13-b2'])
  })

  it('marks each lock with its process and a value of its own', async () => {
    const marks: string[] = []
    for (let i = 0; i < 2; i++) {
      await rewrite(file, () => {
        marks.push(readFileSync(lock, 'utf8'))
        expect(statSync(lock).mode & 0o777).toBe(0o600)
        return ''
      })
    }
    expect(marks).toHaveLength(2)
    expect(marks[0]).not.toBe(marks[1])
    for (const mark of marks) expect(JSON.parse(mark)).toMatchObject({ pid: process.pid })
  })

  it('keeps the lock and the content of a later writer that took the lock over', async () => {
    let release = () => {}
    const holds = new Promise<void>(resolve => {
      release = resolve
    })
    let later: Promise<void> | undefined
    const earlier = rewrite(file, async () => {
      age(60_000)
      await new Promise<void>(hasLock => {
        later = rewrite(file, async () => {
          hasLock()
          await holds
          return 'later'
        })
      })
      return 'earlier'
    })
    await expect(earlier).rejects.toThrow('taken over by another process')
    expect(existsSync(lock)).toBe(true)
    expect(existsSync(file)).toBe(false)
    release()
    await later
    expect(readFileSync(file, 'utf8')).toBe('later')
    expect(readdirSync(folder)).toEqual(['shared.json'])
  })

  it('is not hindered by files that an earlier process left behind', async () => {
    writeFileSync(`${file}.${process.pid}`, 'half')
    writeFileSync(`${file}.lock.${process.pid}`, 'half')
    await rewrite(file, () => 'new')
    expect(readFileSync(file, 'utf8')).toBe('new')
  })

  it('leaves the file as it was, and no other, when the work fails', async () => {
    writeFileSync(file, 'old')
    await expect(rewrite(file, () => Promise.reject(new Error('no text')))).rejects.toThrow('no text')
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['shared.json'])
  })

  it('gives up on a lock that stays fresh', async () => {
    writeFileSync(lock, 'of another process')
    const later = new Date(Date.now() + 3_600_000)
    utimesSync(lock, later, later)
    let seconds = 0
    vi.spyOn(process, 'uptime').mockImplementation(() => {
      seconds += 2
      return seconds
    })
    await expect(rewrite(file, () => 'new')).rejects.toThrow('held by another process')
    expect(existsSync(file)).toBe(false)
    expect(readFileSync(lock, 'utf8')).toBe('of another process')
  })

  describe('that another process holds', () => {
    const { renameSync } = fs
    const beforeRename = vi.fn<(from: fs.PathLike) => void>()
    beforeEach(() => {
      fs.renameSync = (from, to) => {
        beforeRename(from)
        renameSync(from, to)
      }
      syncBuiltinESMExports()
    })
    afterEach(() => {
      beforeRename.mockReset()
      fs.renameSync = renameSync
      syncBuiltinESMExports()
    })

    it('waits while the lock is fresh, and takes it away when it is stale', async () => {
      writeFileSync(lock, 'of another process')
      age(2000)
      const make = vi.fn(() => 'new')
      const checks = vi.spyOn(Date, 'now')
      const writing = rewrite(file, make)
      await vi.waitFor(() => expect(checks.mock.calls.length).toBeGreaterThan(6))
      expect(beforeRename).not.toHaveBeenCalled()
      expect(make).not.toHaveBeenCalled()
      age(25_000)
      await writing
      expect(make).toHaveBeenCalledTimes(1)
      expect(readdirSync(folder)).toEqual(['shared.json'])
    })

    it('puts back a lock that another process renewed in the same moment', async () => {
      writeFileSync(lock, 'of a process that has died')
      age(60_000)
      beforeRename.mockImplementationOnce(() => writeFileSync(lock, 'of another process'))
      const make = vi.fn(() => 'new')
      const checks = vi.spyOn(Date, 'now')
      const writing = rewrite(file, make)
      await vi.waitFor(() => expect(checks.mock.calls.length).toBeGreaterThan(6))
      expect(beforeRename.mock.calls).toEqual([[lock]])
      expect(make).not.toHaveBeenCalled()
      expect(readFileSync(lock, 'utf8')).toBe('of another process')
      rmSync(lock)
      await writing
      expect(readdirSync(folder)).toEqual(['shared.json'])
    })
  })
})

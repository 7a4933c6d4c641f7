import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openQueue } from './queue.js'
import type { RunRecord } from './record.js'

let base = ''
let folder = ''
let path = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'holdfast-queue-'))
  folder = join(base, 'queue')
  path = join(folder, 'active.jsonl')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const unix = process.platform !== 'win32'
const record = (id: string, time = '2024-01-01T00:00:00.000Z'): RunRecord =>
  ({ id, time, event: 'stop', outcome: 'silent', request: {} }) as unknown as RunRecord

/** The sender: complete lines, and the number of truncated ones. */
function readQueue(file: string): { whole: Record<string, unknown>[]; torn: number } {
  const whole: Record<string, unknown>[] = []
  let torn = 0
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '') continue
    try {
      whole.push(JSON.parse(line) as Record<string, unknown>)
    } catch {
      torn++
    }
  }
  return { whole, torn }
}
const idsIn = (file: string) => readQueue(file).whole.map(({ id }) => id)

describe('the queue', () => {
  it('is made for its owner only, and grows by whole lines', () => {
    const queue = openQueue(folder)
    queue.append([record('1'), record('2')], false)
    queue.append([record('3')], true)
    queue.append([], true)
    expect(idsIn(path)).toEqual(['1', '2', '3'])
    expect(queue.problem()).toBeNull()
    if (!unix) return
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  it('loses only the half line that a killed process left', () => {
    mkdirSync(folder)
    writeFileSync(path, '{"id":"half","time":"20')
    openQueue(folder).append([record('1')], false)
    expect(readQueue(path)).toMatchObject({ whole: [{ id: '1' }], torn: 1 })
  })

  it('starts a new file when the sender moved the old one away', () => {
    const queue = openQueue(folder)
    queue.append([record('1')], false)
    renameSync(path, join(folder, 'taken.jsonl'))
    queue.append([record('2')], false)
    expect(idsIn(join(folder, 'taken.jsonl'))).toEqual(['1'])
    expect(idsIn(path)).toEqual(['2'])
  })

  it('does not make a team again that was left', () => {
    const queue = openQueue(join(base, 'team_7', 'queue'))
    queue.append([record('1')], false)
    expect(existsSync(join(base, 'team_7'))).toBe(false)
    expect(queue.problem()).toMatch(/^1 run not written to .*active\.jsonl: .*ENOENT/)
  })

  const places: [string, () => void, RegExp][] = [
    ['a folder', () => mkdirSync(path), /EISDIR/],
    [
      'a link',
      () => {
        writeFileSync(join(base, 'elsewhere'), '')
        symlinkSync(join(base, 'elsewhere'), path)
      },
      /ELOOP/,
    ],
    ['a pipe that nobody reads', () => execFileSync('mkfifo', [path]), /ENXIO/],
  ]
  it.skipIf(!unix).each(places)('is not written to %s', (_, prepare, why) => {
    mkdirSync(folder)
    prepare()
    const queue = openQueue(folder)
    queue.append([record('1'), record('2')], true)
    expect(queue.problem()).toMatch(why)
    expect(queue.problem()).toMatch(/^2 runs not written/)
    if (existsSync(join(base, 'elsewhere'))) expect(statSync(join(base, 'elsewhere')).size).toBe(0)
  })

  it.skipIf(!unix)('is not written to a pipe, even one that is being read', () => {
    mkdirSync(folder)
    execFileSync('mkfifo', [path])
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const queue = openQueue(folder)
      queue.append([record('1')], true)
      expect(queue.problem()).toMatch(/^1 run not written .*: it is not a file$/)
      expect(readFileSync(reader, 'utf8')).toBe('')
    } finally {
      closeSync(reader)
    }
  })

  it('reports records that were written in part, and closes the file', () => {
    const { writeSync, closeSync: close } = fs
    let closed = 0
    fs.writeSync = ((fd: number, data: Buffer) => writeSync(fd, data.subarray(0, 9))) as typeof fs.writeSync
    fs.closeSync = fd => {
      closed++
      close(fd)
    }
    syncBuiltinESMExports()
    try {
      const queue = openQueue(folder)
      queue.append([record('1'), record('2')], false)
      expect(queue.problem()).toMatch(/^2 runs not written .*: there is no space left$/)
      expect(closed).toBe(1)
    } finally {
      Object.assign(fs, { writeSync, closeSync: close })
      syncBuiltinESMExports()
    }
  })

  it('says how many were left out when it is full, and ends in the end', () => {
    const queue = openQueue(folder)
    queue.append([record('1')], false)
    truncateSync(path, 64 * 1024 * 1024 + 1)
    queue.append([record('2', '2024-01-02T00:00:00.000Z'), record('3', '2024-01-03T00:00:00.000Z')], true)
    openQueue(folder).append([record('4')], false)
    const text = readFileSync(path, 'latin1')
    const gaps = text
      .slice(text.lastIndexOf('\0') + 1)
      .split('\n')
      .filter(line => line !== '')
    expect(gaps.map(line => JSON.parse(line) as unknown)).toEqual([
      {
        gap: {
          from: '2024-01-02T00:00:00.000Z',
          to: '2024-01-03T00:00:00.000Z',
          count: 2,
          reason: 'queue-full',
        },
      },
      { gap: expect.objectContaining({ count: 1 }) },
    ])
    expect(queue.problem()).toMatch(/^2 runs not written .* full/)
    truncateSync(path, 80 * 1024 * 1024 + 1)
    queue.append([record('5')], false)
    expect(statSync(path).size).toBe(80 * 1024 * 1024 + 1)
    expect(queue.problem()).toMatch(/^3 runs/)
  })
})

/** The queue in a process of its own, as CommonJS, so that a test can intercept its disk access. */
function program(body: string): string {
  buildSync({
    entryPoints: [fileURLToPath(new URL('./queue.ts', import.meta.url))],
    outfile: join(base, 'queue.cjs'),
    format: 'cjs',
    platform: 'node',
    bundle: true,
  })
  const file = join(base, 'program.cjs')
  writeFileSync(file, body)
  return file
}

describe('in other processes', () => {
  it('only what is urgent is on the disk before it goes on', () => {
    const file = program(`
      const fs = require('node:fs')
      const calls = []
      const { fdatasyncSync, writeSync } = fs
      fs.writeSync = (...args) => (calls.push('write'), writeSync(...args))
      fs.fdatasyncSync = fd => (calls.push('sync'), fdatasyncSync(fd))
      const queue = require('./queue.cjs').openQueue(process.argv[2])
      queue.append([{ id: '1' }, { id: '2' }], false)
      queue.append([{ id: '3' }], true)
      console.log(calls.join(' '), queue.problem())`)
    expect(execFileSync(process.execPath, [file, folder], { encoding: 'utf8' })).toBe(
      'write write sync null\n',
    )
  })

  it('what was written into a file that was taken away is written again', () => {
    const file = program(`
      const fs = require('node:fs')
      const { join } = require('node:path')
      const folder = process.argv[2]
      const { writeSync } = fs
      let taken = 0
      fs.writeSync = (...args) => {
        // The sender: it takes the file, reads it to its end and deletes it, all before we write.
        if (taken++ < 2) fs.rmSync(join(folder, 'active.jsonl'))
        return writeSync(...args)
      }
      const queue = require('./queue.cjs').openQueue(folder)
      queue.append([{ id: '1' }], false)
      console.log(fs.readFileSync(join(folder, 'active.jsonl'), 'utf8').trim(), queue.problem())
      taken = -100
      queue.append([{ id: '2' }], false)
      console.log(queue.problem())`)
    const said = execFileSync(process.execPath, [file, folder], { encoding: 'utf8' }).split('\n')
    expect(said[0]).toBe('{"id":"1"} null')
    expect(said[1]).toMatch(/^1 run not written .*: the file was replaced repeatedly$/)
  })

  it.each([
    ['while nobody sends', false],
    ['while the sender is at its fastest', true],
  ])(
    'nothing that was acknowledged is lost, whichever process is killed, %s',
    async (_, sends) => {
      // Some lines are long, so that a kill can come in the middle of one; in all they do not fill the queue.
      const file = program(`
      const queue = require('./queue.cjs').openQueue(process.argv[2])
      const name = process.argv[3]
      const one = (id, length) => ({ id, time: 't', text: 'x'.repeat(length) })
      setInterval(() => {}, 1000)
      for (let i = 0; i < 1500; i++) {
        const id = name + '-' + i
        queue.append([one(id, i % 20 === 0 ? 30_000 : 200), one(id + 'b', 300)], i % 50 === 0)
        if (queue.problem()) process.stdout.write('problem ' + queue.problem() + '\\n')
        require('node:fs').writeSync(1, id + '\\n')
      }`)
      const acknowledged: string[] = []
      const children = new Set<ChildProcess>()
      const begin = (name: string) => {
        const child = spawn(process.execPath, [file, folder, name], { stdio: ['ignore', 'pipe', 'inherit'] })
        children.add(child)
        const lines = createInterface({ input: child.stdout! })
        lines.on('line', line => acknowledged.push(line))
        return { child, read: once(lines, 'close') }
      }
      const found = new Set<unknown>()
      let torn = 0
      let segments = 0
      // What it took it reads at once, and deletes.
      const take = () => {
        if (!existsSync(path)) return
        const taken = join(folder, `${segments++}.jsonl`)
        renameSync(path, taken)
        const read = readQueue(taken)
        rmSync(taken)
        for (const { id } of read.whole) found.add(id)
        torn += read.torn
      }
      let kills = 0
      try {
        const writers = Array.from({ length: 3 }, async (_, writer) => {
          for (let life = 0; life < 4; life++) {
            const name = `${writer}-${life}`
            const before = segments
            const { child, read } = begin(name)
            // After different amounts of work, and while the sender is at it.
            const enough = 10 + 7 * writer + 3 * life
            const isBusy = () =>
              acknowledged.filter(line => line.startsWith(`${name}-`)).length >= enough &&
              (!sends || segments > before)
            await vi.waitUntil(isBusy, { timeout: 40_000, interval: 5 })
            child.kill('SIGKILL')
            kills++
            await read
            children.delete(child)
          }
        })
        const sender = sends ? setInterval(take, 25) : undefined
        await Promise.all(writers)
        clearInterval(sender)
      } finally {
        for (const child of children) child.kill('SIGKILL')
      }
      take()
      expect(acknowledged.length).toBeGreaterThan(100)
      // The last line of the pipe may have been cut off by the kill, so only whole ids count.
      const ids = acknowledged.filter(line => /^\d-\d-\d+$/.test(line))
      expect(acknowledged.filter(line => line.startsWith('problem'))).toEqual([])
      expect(ids.flatMap(id => [id, `${id}b`]).filter(id => !found.has(id))).toEqual([])
      // A reader may see half of a line that is still being written; it is read again when complete.
      if (sends) expect(segments).toBeGreaterThan(5)
      else expect(torn).toBeLessThanOrEqual(kills)
    },
    60_000,
  )
})

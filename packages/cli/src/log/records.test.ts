import { execFile } from 'node:child_process'
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { RunRecord } from '@holdfast/hooks'
import { buildSync } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJsonl } from '../../../hooks/src/record/jsonl.js'
import { openLog, readRecords } from './records.js'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-jsonl-'))
  path = join(folder, 'runs.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (id: string, extra = ''): RunRecord =>
  ({
    id,
    time: '2024-01-01T00:00:00.000Z',
    event: 'stop',
    outcome: 'silent',
    request: { text: extra },
  }) as unknown as RunRecord
const idsOf = (result: { records: readonly RunRecord[] }) => result.records.map(each => each.id)
const unix = process.platform !== 'win32'

describe('writing', () => {
  it('creates folder and file for their owner only', () => {
    const deep = join(folder, 'a', 'b', 'runs.jsonl')
    openJsonl({ path: deep }).append([record('1')])
    if (unix) {
      expect(statSync(deep).mode & 0o777).toBe(0o600)
      expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700)
    }
    expect(idsOf(readRecords(deep))).toEqual(['1'])
  })

  it('starts again when the file is removed', () => {
    const log = openJsonl({ path })
    log.append([record('1')])
    rmSync(folder, { recursive: true })
    log.append([record('2')])
    expect(idsOf(readRecords(path))).toEqual(['2'])
    expect(log.problem()).toBe(null)
  })

  it('stores what it could not write, and why', () => {
    writeFileSync(join(folder, 'file'), '')
    const log = openJsonl({ path: join(folder, 'file', 'runs.jsonl') })
    log.append([record('1'), record('2')])
    log.append([record('3')])
    expect(log.problem()).toMatch(/^3 runs not written to .*ENOTDIR/)
  })

  it.runIf(existsSync('/dev/full'))('survives a full disk', () => {
    const log = openJsonl({ path: '/dev/full' })
    log.append([record('1')])
    expect(log.problem()).toMatch(/^1 run not written to .*ENOSPC/)
  })

  it.runIf(unix)('does not wait for the reader of a pipe', async () => {
    await promisify(execFile)('mkfifo', [path])
    const log = openJsonl({ path })
    log.append([record('1')])
    expect(log.problem()).toMatch(/ENXIO/)
  })

  it('cannot write what is no JSON, and says so', () => {
    const log = openJsonl({ path })
    log.append([{ ...record('1'), line: 1n as unknown as number }])
    expect(log.problem()).toMatch(/BigInt/)
  })
})

describe('rotation', () => {
  it('sets a full file aside and keeps so many in all', () => {
    const log = openJsonl({ path, maxBytes: 1000, keep: 3 })
    for (let i = 0; i < 40; i++) log.append([record(String(i).padStart(3, '0'), 'x'.repeat(100))])
    expect(readdirSync(folder).sort()).toEqual(['runs.jsonl', 'runs.jsonl.1', 'runs.jsonl.2'])
    for (const name of readdirSync(folder))
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1000)
    const ids = idsOf(readRecords(path))
    expect(ids.at(-1)).toBe('039')
    expect(ids).toEqual([...ids].sort())
    expect(log.problem()).toBe(null)
  })

  it('keeps only the current file with this option', () => {
    const log = openJsonl({ path, maxBytes: 300, keep: 1 })
    for (let i = 0; i < 10; i++) log.append([record(String(i), 'x'.repeat(100))])
    expect(readdirSync(folder)).toEqual(['runs.jsonl'])
    expect(idsOf(readRecords(path)).at(-1)).toBe('9')
  })

  it('leaves it to the one who holds the lock, unless that one is gone', () => {
    const log = openJsonl({ path, maxBytes: 300, keep: 2 })
    writeFileSync(`${path}.lock`, '')
    for (let i = 0; i < 5; i++) log.append([record(String(i), 'x'.repeat(100))])
    expect(existsSync(`${path}.1`)).toBe(false)
    expect(idsOf(readRecords(path))).toHaveLength(5)
    utimesSync(`${path}.lock`, 1, 1)
    log.append([record('5')])
    log.append([record('6')])
    expect(existsSync(`${path}.lock`)).toBe(false)
    expect(idsOf(readRecords(path))).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    expect(existsSync(`${path}.1`)).toBe(true)
  })

  it('is not done again when another process did it in the same moment', () => {
    const full = `${'x'.repeat(300)}\n`
    writeFileSync(path, full)
    const { linkSync } = fs
    fs.linkSync = (from, to) => {
      if (to === `${path}.lock`) {
        renameSync(path, `${path}.1`)
        writeFileSync(path, '')
      }
      linkSync(from, to)
    }
    syncBuiltinESMExports()
    try {
      openJsonl({ path, maxBytes: 310, keep: 2 }).append([record('1')])
    } finally {
      fs.linkSync = linkSync
      syncBuiltinESMExports()
    }
    expect(readFileSync(`${path}.1`, 'utf8')).toBe(full)
    expect(readdirSync(folder).sort()).toEqual(['runs.jsonl', 'runs.jsonl.1'])
    expect(idsOf(readRecords(path))).toEqual(['1'])
  })

  it('writes on when the old files cannot be moved', () => {
    mkdirSync(`${path}.1`)
    const log = openJsonl({ path, maxBytes: 300, keep: 2 })
    for (let i = 0; i < 5; i++) log.append([record(String(i), 'x'.repeat(100))])
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(5)
    expect(log.problem()).toBe(null)
  })

  it('loses and tears nothing when several processes write and rotate at once', async () => {
    const script = join(folder, 'writer.mjs')
    buildSync({
      entryPoints: [fileURLToPath(new URL('../../../hooks/src/record/jsonl.ts', import.meta.url))],
      outfile: join(folder, 'jsonl.mjs'),
      format: 'esm',
      platform: 'node',
      bundle: true,
    })
    writeFileSync(
      script,
      `import { openJsonl } from './jsonl.mjs'
       const [, , path, name] = process.argv
       const log = openJsonl({ path, maxBytes: 20_000, keep: 200 })
       const one = id => ({ id, time: '', event: 'stop', outcome: 'silent', request: { text: 'x'.repeat(300) } })
       for (let i = 0; i < 500; i++) log.append([one(name + i), one(name + i + 'b')])
       console.log(log.problem())`,
    )
    const logs = join(folder, 'shared', 'runs.jsonl')
    const writers = ['a', 'b', 'c'].map(name => promisify(execFile)(process.execPath, [script, logs, name]))
    for (const { stdout } of await Promise.all(writers)) expect(stdout).toBe('null\n')
    const { records, skipped } = readRecords(logs, { limit: 10_000 })
    expect(skipped).toBe(0)
    expect(new Set(records.map(each => each.id)).size).toBe(3000)
    expect(readdirSync(join(folder, 'shared')).length).toBeGreaterThan(5)
  })
})

describe('reading', () => {
  it('finds nothing where nothing is', () => {
    expect(readRecords(path)).toEqual({ records: [], skipped: 0, problem: null })
  })

  it('gives the newest, newest last, over all files', () => {
    writeFileSync(`${path}.1`, [record('1'), record('2')].map(each => `${JSON.stringify(each)}\n`).join(''))
    writeFileSync(path, `${JSON.stringify(record('3'))}\n`)
    expect(idsOf(readRecords(path, { limit: 2 }))).toEqual(['2', '3'])
    expect(idsOf(readRecords(path))).toEqual(['1', '2', '3'])
    expect(idsOf(readRecords(path, { limit: 0 }))).toEqual([])
  })

  it('shows a record once when a rotation comes between', () => {
    for (const name of [path, `${path}.1`]) writeFileSync(name, `${JSON.stringify(record('1'))}\n`)
    expect(idsOf(readRecords(path))).toEqual(['1'])
  })

  it('passes over torn and foreign lines, and counts them', () => {
    const log = openJsonl({ path })
    log.append([record('1')])
    appendFileSync(path, 'not json\n{"id":"7"}\nnull\n\n')
    appendFileSync(path, JSON.stringify(record('2')).slice(0, 50))
    log.append([record('3', 'ü'), record('4')])
    appendFileSync(path, '{"id":"5","ti')
    expect(idsOf(readRecords(path))).toEqual(['1', '3', '4'])
    expect(readRecords(path).skipped).toBe(5)
  })

  it('puts characters together that lie across the border of two reads', () => {
    const text = '€😀'.repeat(30_000)
    openJsonl({ path }).append([record('1', text), record('2', text)])
    const { records, skipped } = readRecords(path)
    expect(records.map(each => each.request.text)).toEqual([text, text])
    expect(skipped).toBe(0)
  })

  it('reads only the end of a large file', () => {
    // A hole that takes no room on the disk, and minutes to be read.
    writeFileSync(path, '')
    truncateSync(path, 2 ** 40)
    appendFileSync(path, '\n')
    openJsonl({ path, maxBytes: Number.POSITIVE_INFINITY }).append([record('new')])
    expect(idsOf(readRecords(path, { limit: 1 }))).toEqual(['new'])
  })

  it('gives one record after the other, newest first, and reads no further than asked', () => {
    const log = openJsonl({ path, maxBytes: 1000 })
    for (let i = 1; i <= 20; i++) log.append([record(String(i))])
    appendFileSync(path, 'torn\n')
    const { each, status } = openLog(path)
    const seen: string[] = []
    for (const { id } of each) {
      seen.push(id)
      if (id === '18') break
    }
    expect(seen).toEqual(['20', '19', '18'])
    expect(status()).toEqual({ skipped: 1, problem: null })
    const all = [...openLog(path).each].map(({ id }) => id)
    expect(all).toEqual(idsOf(readRecords(path, { limit: 1000 })).reverse())
    expect(readRecords(path, { limit: 0 }).records).toEqual([])
  })

  it('gives up on a file that is no log', () => {
    writeFileSync(path, Buffer.alloc(6 * 1024 * 1024, 120))
    expect(readRecords(path).problem).toMatch(/is not a log/)
    rmSync(path)
    mkdirSync(path)
    expect(readRecords(path).problem).toMatch(/EISDIR/)
  })
})

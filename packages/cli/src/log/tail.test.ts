import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunRecord } from '@holdfast/hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJsonl } from '../../../hooks/src/record/jsonl.js'
import { openTail, type Place, type Tail } from './tail.js'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-tail-'))
  file = join(folder, 'runs.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const record = (id: number, more: object = {}): RunRecord =>
  ({
    id: String(id).padStart(6, '0'),
    time: '2026-01-01T00:00:00.000Z',
    event: 'stop',
    outcome: 'silent',
    request: { text: 'a text of some length, so that two files do not begin alike' },
    ...more,
  }) as unknown as RunRecord
const line = (id: number, more?: object) => `${JSON.stringify(record(id, more))}\n`

const heard = (tail: Tail): number[] => {
  const ids: number[] = []
  tail.read(({ id }) => ids.push(Number(id)))
  return ids
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

describe('a log that grows', () => {
  it('is read from its beginning, and then its new records', () => {
    const tail = openTail(file)
    expect(heard(tail)).toEqual([])
    writeFileSync(file, line(1) + line(2))
    expect(heard(tail)).toEqual([1, 2])
    expect(heard(tail)).toEqual([])
    appendFileSync(file, line(3))
    expect(heard(tail)).toEqual([3])
  })

  it('is read from its end on request', () => {
    writeFileSync(file, line(1) + line(2))
    const tail = openTail(file, 0)
    expect(heard(tail)).toEqual([])
    appendFileSync(file, line(3))
    expect(heard(tail)).toEqual([3])
  })

  it('is read from the first complete line within a number of bytes', () => {
    writeFileSync(
      `${file}.1`,
      range(1, 100)
        .map(id => line(id))
        .join(''),
    )
    writeFileSync(
      file,
      range(101, 200)
        .map(id => line(id))
        .join(''),
    )
    const length = line(1).length
    expect(heard(openTail(file, length * 10))).toEqual(range(191, 200))
    expect(heard(openTail(file, length * 10 + 7))).toEqual(range(191, 200))
    expect(heard(openTail(file, length * 120))).toEqual(range(81, 200))
    expect(heard(openTail(file, length * 1000))).toEqual(range(1, 200))
  })

  it('waits for the end of a line', () => {
    const tail = openTail(file)
    const text = line(1)
    writeFileSync(file, text.slice(0, 70))
    expect(heard(tail)).toEqual([])
    appendFileSync(file, text.slice(70, -1))
    expect(heard(tail)).toEqual([])
    appendFileSync(file, '\n')
    expect(heard(tail)).toEqual([1])
  })

  it('may hold anything between its records', () => {
    const torn = line(9).slice(0, 80)
    const garbage = ['', 'x', '{}', 'null', '[]', '{"id":1}', '\u0000\u0000', '{"id":"', '\ufffd', torn]
    writeFileSync(file, `${garbage.join('\n')}${line(1)}${garbage.join('\r\n')}\n${line(2)}`)
    const tail = openTail(file)
    expect(heard(tail)).toEqual([1, 2])
    expect(tail.skipped()).toBeGreaterThan(5)
    // A truncated record has no line break: the next record follows on its line.
    appendFileSync(file, torn + line(3))
    expect(heard(tail)).toEqual([3])
  })

  it('does not drown in something without line breaks', () => {
    const tail = openTail(file)
    writeFileSync(file, 'x'.repeat(9 * 1024 * 1024))
    expect(heard(tail)).toEqual([])
    appendFileSync(file, `y\n${line(1)}`)
    expect(heard(tail)).toEqual([1])
  })

  it('takes a line that is longer than what is read at once', () => {
    writeFileSync(file, line(1, { stderr: 'x'.repeat(3 * 1024 * 1024) }) + line(2))
    expect(heard(openTail(file))).toEqual([1, 2])
  })
})

describe('a log that is set aside', () => {
  it('loses nothing and tells nothing twice, whenever one looks', () => {
    const log = openJsonl({ path: file, maxBytes: 2000, keep: 3 })
    const tail = openTail(file)
    const all: number[] = []
    for (let id = 1; id <= 500; id++) {
      log.append([record(id)])
      if (id % 4 === 0) all.push(...heard(tail))
    }
    expect(all).toEqual(range(1, 500))
  })

  it('is read on in the file that was set aside', () => {
    writeFileSync(file, line(1))
    const tail = openTail(file)
    expect(heard(tail)).toEqual([1])
    appendFileSync(file, line(2))
    renameSync(file, `${file}.1`)
    writeFileSync(file, line(3))
    expect(heard(tail)).toEqual([2, 3])
  })

  it('may be removed, started again, or truncated', () => {
    writeFileSync(file, line(1) + line(2))
    const tail = openTail(file)
    expect(heard(tail)).toEqual([1, 2])
    rmSync(file)
    expect(heard(tail)).toEqual([])
    writeFileSync(file, line(3) + line(4) + line(5))
    expect(heard(tail)).toEqual([3, 4, 5])
    truncateSync(file, 0)
    expect(heard(tail)).toEqual([])
    appendFileSync(file, line(6))
    expect(heard(tail)).toEqual([6])
  })

  it('may be a folder for a while', () => {
    mkdirSync(file)
    const tail = openTail(file)
    expect(heard(tail)).toEqual([])
    rmSync(file, { recursive: true })
    writeFileSync(file, line(1))
    expect(heard(tail)).toEqual([1])
  })
})

it('gives a record again, under whatever name its file has by then', () => {
  writeFileSync(file, line(1) + line(2, { stderr: 'ünï' }))
  const tail = openTail(file)
  const places: Place[] = []
  tail.read((_, place) => places.push(place))
  renameSync(file, `${file}.1`)
  writeFileSync(file, line(3))
  tail.read((_, place) => places.push(place))
  expect(tail.recordsAt(places).map(one => [one?.id, one?.stderr])).toEqual([
    ['000001', undefined],
    ['000002', 'ünï'],
    ['000003', undefined],
  ])
  rmSync(`${file}.1`)
  expect(tail.recordsAt(places).map(one => one?.id)).toEqual([undefined, undefined, '000003'])
})

// A queue that is not sent must not fill the disk. The oldest records are dropped first, and every loss is recorded as
// a gap, which the server receives later.

import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { jsonBytes, listFolder, readJson } from '@holdfast/hooks/team'
import { type Gap, linesOf, MOST_COUNT, readLine } from './batch.js'
import type { Disk } from './disk.js'
import { chunksOf, noteDone, type Segment, segmentsOf } from './queue.js'
import { DAY } from './waits.js'

export const MOST_PENDING_BYTES = 256 * 1024 * 1024
export const MOST_PENDING_MS = 30 * DAY

export interface WrittenGap extends Gap {
  readonly id: string
}

const GAP = /^([0-9a-f-]{36})\.gap$/

export interface Bound {
  readonly now: number
  readonly mostBytes: number
}

export function keepWithin(folder: string, disk: Disk, { now, mostBytes }: Bound): void {
  finishGivingUp(folder, disk)
  const segments = segmentsOf(folder)
  for (const segment of segments) {
    if (now - segment.touchedMs > MOST_PENDING_MS) giveUp(folder, disk, segment, segment.size, 'too-old')
  }
  const young = segments.filter(({ touchedMs }) => now - touchedMs <= MOST_PENDING_MS)
  let excess = young.reduce((sum, { size, done }) => sum + size - done, 0) - mostBytes
  for (const segment of young) {
    if (excess <= 0) return
    const to = lineEndFrom(segment, segment.done + excess)
    excess -= to - segment.done
    giveUp(folder, disk, segment, to, 'queue-full')
  }
}

/** First the gap, then the note that its bytes are done: a crash between the two is repaired. */
export function giveUp(folder: string, disk: Disk, segment: Segment, to: number, reason: string): void {
  if (to <= segment.done) return
  const count = countLost(segment, to)
  const at = new Date(segment.touchedMs).toISOString()
  const from = timeOf(segment) ?? at
  const gap = { from, to: at, count, reason, segment: segment.id, done: to }
  disk.replace(join(folder, `${randomUUID()}.gap`), jsonBytes(gap), 0o600)
  noteDone(folder, disk, segment.id, to)
}

/** A line that reports dropped records counts for all of them. */
function countLost({ file, done }: Segment, to: number): number {
  let count = 0
  for (const { line } of linesOf(file, done, to, true))
    if (line.length > 0) count += readLine(line).gap?.count ?? 1
  return count
}

function finishGivingUp(folder: string, disk: Disk): void {
  const segments = new Map(segmentsOf(folder).map(segment => [segment.id, segment]))
  for (const { segment, done } of gapFiles(folder)) {
    const there = typeof segment === 'string' ? segments.get(segment) : undefined
    if (there && typeof done === 'number' && there.done < done) noteDone(folder, disk, there.id, done)
  }
}

/** Gaps that the server has not received. Each has an id, so that sending one twice is harmless. */
export const gapsOf = (folder: string): WrittenGap[] =>
  gapFiles(folder).map(({ id, from, to, count, reason }) => ({
    id,
    from: String(from ?? ''),
    to: String(to ?? ''),
    count: Number.isSafeInteger(count) ? Math.min(count as number, MOST_COUNT) : 1,
    reason: String(reason ?? ''),
  }))

export const forgetGap = (folder: string, disk: Disk, id: string): void =>
  disk.remove(join(folder, `${id}.gap`))

const gapFiles = (folder: string): (Record<string, unknown> & { id: string })[] =>
  listFolder(folder).flatMap(name => {
    const id = GAP.exec(name)?.[1]
    const gap = id === undefined ? undefined : readJson(join(folder, name))
    return gap && id !== undefined ? [{ ...gap, id }] : []
  })

function lineEndFrom({ file, size }: Segment, offset: number): number {
  let at = offset
  if (at >= size) return size
  for (const chunk of chunksOf(file, offset, size)) {
    const found = chunk.indexOf(10)
    if (found !== -1) return at + found + 1
    at += chunk.length
  }
  return size
}

/** When the first of the dropped records was written. */
function timeOf({ file, done, size }: Segment): string | undefined {
  const [start] = chunksOf(file, done, Math.min(size, done + 4096))
  return /"time":"(\d{4}-[0-9T:.-]{10,20}Z)"/.exec(start?.toString('latin1') ?? '')?.[1]
}

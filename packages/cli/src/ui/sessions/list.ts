// The conversations that the log knows, the one that moved last first.

import { findEvent } from '@holdfast/hooks/protocol'
import type { ListSessionsRequest } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import type { Book } from '../runs/book.js'
import { sizeOf } from '../runs/page.js'
import type { Row } from '../runs/row.js'
import { families } from './families.js'

export interface Summary {
  readonly id: string
  title: string
  readonly startedAt: string
  lastAt: string
  events: number
  runs: number
  denied: number
  asked: number
  failedOpen: number
  hooksMs: number
  isOpen: boolean
}

interface Counting extends Summary {
  hasPrompt: boolean
  hasEnded: boolean
  last: Row
  /** Of the event that is being counted: the longest of its hooks so far. */
  longest: number
  /** One bit for each word that was found. */
  found: number
}

/** Who was silent for longer is not open any more, even if nobody said so. */
const OPEN_MS = 30 * 60_000
const MOST_WORDS = 16

export function listSessions(
  book: Book,
  { text, pageSize, pageToken }: Pick<ListSessionsRequest, 'text' | 'pageSize' | 'pageToken'>,
  now: number,
) {
  book.refresh()
  const words = text.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)
  const before = numberIn(pageToken)
  const size = sizeOf(pageSize)
  const all = [...count(book.rows(), words).values()]
    .filter(({ found, last }) => found === 2 ** words.length - 1 && last.number < before)
    .sort((a, b) => b.last.number - a.last.number)
  const page = all.slice(0, size)
  return {
    sessions: page.map(one => toSummary(one, now)),
    nextPageToken: all.length > size ? tokenOf(page.at(-1)!) : '',
  }
}

/** Of one conversation and the subagents under it. */
export function summaryOf(rows: readonly Row[], id: string, now: number): Summary | undefined {
  const found = count(rows, []).get(id)
  return found && toSummary(found, now)
}

function count(rows: readonly Row[], words: readonly string[]): Map<string, Counting> {
  const topOf = families(rows)
  const sessions = new Map<string, Counting>()
  for (const row of rows) {
    if (row.conversationId === '') continue
    const id = topOf(row.conversationId)
    const known = sessions.get(id)
    const one = known ?? begun(id, row, words)
    if (!known) sessions.set(id, one)
    add(one, row, known !== undefined && row.eventId !== undefined && one.last.eventId === row.eventId)
    words.forEach((word, index) => {
      if (!(one.found & (1 << index)) && row.text.includes(word)) one.found |= 1 << index
    })
  }
  return sessions
}

const begun = (id: string, row: Row, words: readonly string[]): Counting => ({
  id,
  title: row.subject,
  startedAt: row.at,
  lastAt: row.at,
  events: 0,
  runs: 0,
  denied: 0,
  asked: 0,
  failedOpen: 0,
  hooksMs: 0,
  isOpen: false,
  hasPrompt: false,
  hasEnded: false,
  last: row,
  longest: 0,
  found: words.reduce(
    (bits, word, index) => (id.toLowerCase().includes(word) ? bits | (1 << index) : bits),
    0,
  ),
})

function add(one: Counting, row: Row, isSameEvent: boolean): void {
  one.runs++
  one.lastAt = row.at
  one.last = row
  if (row.verdict === 'deny') one.denied++
  if (row.verdict === 'ask') one.asked++
  if (row.verdict === 'failed_open') one.failedOpen++
  // Hooks of one event run side by side: what is waited for is the slowest.
  if (!isSameEvent) {
    one.events++
    one.longest = 0
  }
  one.hooksMs += Math.max(0, row.durationMs - one.longest)
  one.longest = Math.max(one.longest, row.durationMs)
  // The first that is known of it, until a prompt says what it is about.
  if (one.title === '') one.title = row.subject
  const trace = findEvent(row.event)?.trace
  const isOwn = row.conversationId === one.id
  if (trace?.kind === 'session' && isOwn) one.hasEnded = trace.part === 'ends'
  if (trace?.kind === 'prompt' && trace.part === 'begins' && isOwn && !one.hasPrompt) {
    one.hasPrompt = true
    one.title = row.subject
  }
}

const toSummary = (one: Counting, now: number): Summary => ({
  id: one.id,
  title: one.title,
  startedAt: one.startedAt,
  lastAt: one.lastAt,
  events: one.events,
  runs: one.runs,
  denied: one.denied,
  asked: one.asked,
  failedOpen: one.failedOpen,
  hooksMs: one.hooksMs,
  isOpen: !one.hasEnded && now - one.last.timeMs < OPEN_MS,
})

const tokenOf = ({ last }: Counting) => Buffer.from(`before ${last.number}`).toString('base64url')

function numberIn(token: string): number {
  if (token === '') return Number.POSITIVE_INFINITY
  const [, number] = /^before (\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? []
  if (number === undefined) throw wrong('page_token is not one that this panel gave.')
  return Number(number)
}

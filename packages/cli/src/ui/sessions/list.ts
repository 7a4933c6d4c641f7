// The conversations in the log, the most recently active one first.

import { findEvent } from '@holdfast/hooks/protocol'
import type { ListSessionsRequest } from '@holdfast/web/panel'
import { wrong } from '../refusals.js'
import type { Book } from '../runs/book.js'
import { sizeOf } from '../runs/page.js'
import { durationOf, type EventRow, type RunRow, verdictOfAll } from '../runs/row.js'
import { findRoots } from './roots.js'

interface Summary {
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
}

interface Counting extends Summary {
  hasPrompt: boolean
  hasEnded: boolean
  last: RunRow
  /** One bit for each word that was found. */
  found: number
}

/** A session that was silent for longer counts as ended, even without an event. */
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
  const all = [...count(book, words).values()]
    .filter(({ found, last }) => found === 2 ** words.length - 1 && last.number < before)
    .sort((a, b) => b.last.number - a.last.number)
  const page = all.slice(0, size)
  return {
    sessions: page.map(one => toSession(one, now)),
    nextPageToken: all.length > size ? tokenOf(page.at(-1)!) : '',
  }
}

/** Of one conversation and the subagents under it. */
export function summaryOf(book: Book, id: string, now: number) {
  const found = count(book, []).get(id)
  return found && toSession(found, now)
}

function count(book: Book, words: readonly string[]): Map<string, Counting> {
  const rootOf = findRoots(book.rows())
  const sessions = new Map<string, Counting>()
  for (const occurrence of book.occurrences()) {
    const [row] = occurrence.rows as [RunRow]
    if (row.conversationId === '') continue
    const id = rootOf(row.conversationId)
    const one = sessions.get(id) ?? start(id, row, words)
    sessions.set(id, one)
    add(one, occurrence)
    for (const [index, word] of words.entries()) {
      if (occurrence.rows.some(({ text }) => text.includes(word))) one.found |= 1 << index
    }
  }
  return sessions
}

const start = (id: string, row: RunRow, words: readonly string[]): Counting => ({
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
  hasPrompt: false,
  hasEnded: false,
  last: row,
  found: words.reduce(
    (bits, word, index) => (id.toLowerCase().includes(word) ? bits | (1 << index) : bits),
    0,
  ),
})

function add(one: Counting, occurrence: EventRow): void {
  const [row] = occurrence.rows as [RunRow]
  const verdict = verdictOfAll(occurrence)
  one.events++
  one.runs += occurrence.rows.length
  one.lastAt = row.at
  one.last = occurrence.rows.at(-1)!
  if (verdict === 'deny') one.denied++
  if (verdict === 'ask') one.asked++
  if (verdict === 'failed_open') one.failedOpen++
  one.hooksMs += durationOf(occurrence)
  // Until there is a prompt, the first known subject is the title.
  if (one.title === '') one.title = row.subject
  const trace = findEvent(row.event)?.trace
  const isOwn = row.conversationId === one.id
  // After the end of a turn the agent waits for the user; any further event means that it works again.
  const isTurnOrSession = trace?.kind === 'session' || trace?.kind === 'prompt'
  one.hasEnded = isOwn && isTurnOrSession && trace.part === 'ends'
  if (trace?.kind === 'prompt' && trace.part === 'begins' && isOwn && !one.hasPrompt) {
    one.hasPrompt = true
    one.title = row.subject
  }
}

const toSession = ({ hasPrompt, hasEnded, last, found, ...summary }: Counting, now: number) => ({
  ...summary,
  isOpen: !hasEnded && now - last.timeMs < OPEN_MS,
})

const tokenOf = ({ last }: Counting) => Buffer.from(`before ${last.number}`).toString('base64url')

function numberIn(token: string): number {
  if (token === '') return Number.POSITIVE_INFINITY
  const [, number] = /^before (\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString('utf8')) ?? []
  if (number === undefined) throw wrong('page_token is not one of this panel.')
  return Number(number)
}

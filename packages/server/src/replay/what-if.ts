// The responses of a draft to the events of the last days. Only complete records are judged: an event with a masked
// payload is undecided, never "no change".

import { DAY_MS } from '../durations.js'
import { draftIn } from '../hooks/content.js'
import { hookOf } from '../hooks/drafts.js'
import { problemsOf } from '../hooks/problems.js'
import { RequestError } from '../request-error.js'
import { inTime } from '../store/reader.js'
import { countOfEvent, type EventRecord, pageOfEvent, type RecordPlace } from '../store/records.js'
import type { Team } from '../team.js'
import { mustHave } from './check.js'
import { openPlayer, type Player } from './player.js'

const START = {
  replayed: 0,
  total: 0,
  newlyDenied: 0,
  newlyAllowed: 0,
  newlyAsked: 0,
  unchanged: 0,
  undecided: 0,
  failed: 0,
  /** The draft did not run, and the verdict stays the same. */
  skipped: 0,
  done: false,
}
export type Progress = typeof START & { examples: Example[] }

export interface Example {
  readonly recordId: string
  readonly at: string
  readonly deviceName: string
  readonly summary: string
  readonly before: string
  readonly after: string
  readonly message: string
  readonly kind: string
}

const DEFAULT_LIMIT = 2000
const MOST = 50_000
const MOST_DAYS = 90
const PAGE = 200
/** Of each kind; of unremarkable ones only a few. */
const MOST_EXAMPLES: Readonly<Record<ChangeKind, number>> = {
  newlyDenied: 100,
  newlyAllowed: 100,
  newlyAsked: 100,
  failed: 100,
  unchanged: 20,
  undecided: 20,
  skipped: 20,
}

export async function* whatIf(
  team: Team,
  wish: { hookId: number; days: number; limit: number },
  signal: AbortSignal,
): AsyncGenerator<Progress> {
  const days = wish.days === 0 ? 7 : wish.days
  const limit = wish.limit === 0 ? DEFAULT_LIMIT : wish.limit
  if (days < 0 || days > MOST_DAYS)
    throw new RequestError('invalid', `days is ${days}; expected 1 to ${MOST_DAYS}.`)
  if (limit < 0 || limit > MOST)
    throw new RequestError('invalid', `limit is ${limit}; expected 1 to ${MOST}.`)
  const sandbox = mustHave(await team.sandbox())
  const draft = draftIn(await hookOf(team.store.db, wish.hookId))
  if (!draft) throw new RequestError('not-now', 'The hook has no draft to try.')
  if (draft.content.type === 'prompt')
    throw new RequestError('not-now', 'A prompt hook needs a model; it cannot be replayed here.')
  const wrong = (await problemsOf(draft)).find(({ severity }) => severity === 'error')
  if (wrong) throw new RequestError('not-now', `The draft has an error: ${wrong.message} ${wrong.hint}`)
  const progress: Progress = { ...START, examples: [] }
  const player = openPlayer(draft, sandbox)
  // A caller that left needs no answer: another replay may start.
  const leave = () => void player.close()
  signal.addEventListener('abort', leave)
  try {
    const shown = new Map<ChangeKind, number>()
    const event = draft.content.hook_step
    const from = team.now() - days * DAY_MS
    // The number of records limits that of events.
    progress.total = Math.min(limit, await inTime(countOfEvent(team.records.reader, event, from)))
    for await (const events of pages(team, event, from, limit)) {
      if (signal.aborted) return
      const judged = await Promise.all(events.map(event => judge(player, event, wish.hookId)))
      for (const [index, result] of judged.entries()) {
        progress.replayed++
        progress[result.kind]++
        const before = shown.get(result.kind) ?? 0
        if (before >= MOST_EXAMPLES[result.kind]) continue
        shown.set(result.kind, before + 1)
        const kind = result.kind.replace(/[A-Z]/, letter => `_${letter.toLowerCase()}`)
        progress.examples.push({ ...events[index]!.shown, ...result.said, kind })
      }
      yield { ...progress }
      progress.examples = []
    }
    yield { ...progress, total: progress.replayed, done: true }
  } finally {
    signal.removeEventListener('abort', leave)
    await player.close()
  }
}

interface Recorded {
  readonly facts: Record<string, unknown>
  readonly event: string
  readonly isMasked: boolean
  readonly verdict: Word
  /** The response of each hook. */
  readonly said: readonly { readonly hookId: number; readonly word: Word }[]
  readonly shown: Omit<Example, 'before' | 'after' | 'message' | 'kind'>
}

type Word = 'allow' | 'deny' | 'ask' | 'none'
const RANK: Readonly<Record<Word, number>> = { none: 0, allow: 1, ask: 2, deny: 3 }
const strictest = (words: readonly Word[]): Word =>
  words.reduce((most, word) => (RANK[word] > RANK[most] ? word : most), 'none' as Word)

type ChangeKind = Exclude<keyof typeof START, 'replayed' | 'total' | 'done'>

interface JudgedEvent {
  readonly kind: ChangeKind
  readonly said: Pick<Example, 'before' | 'after' | 'message'>
}

async function judge(player: Player, event: Recorded, hookId: number): Promise<JudgedEvent> {
  const before = event.verdict
  if (event.isMasked) return { kind: 'undecided', said: { before, after: '', message: '' } }
  const reply = await player.ask({ id: event.shown.recordId, event: event.event, facts: event.facts })
  const message = reply.failure || reply.userMessage || reply.agentMessage
  if (reply.verdict === 'failed') return { kind: 'failed', said: { before, after: 'failed', message } }
  const others = event.said.filter(said => said.hookId !== hookId).map(({ word }) => word)
  const after = strictest([...others, reply.verdict])
  const kind =
    after === before || (RANK[after] <= 1 && RANK[before] <= 1)
      ? reply.ran
        ? 'unchanged'
        : 'skipped'
      : after === 'deny'
        ? 'newlyDenied'
        : after === 'ask'
          ? 'newlyAsked'
          : 'newlyAllowed'
  return { kind, said: { before, after, message } }
}

/** Events newest first; the runs of one event are adjacent, because their ids are consecutive. */
async function* pages(
  { records: { reader } }: Team,
  event: string,
  from: number,
  limit: number,
): AsyncGenerator<Recorded[]> {
  let before: RecordPlace | null = null
  let left = limit
  let open: EventRecord[] = []
  for (;;) {
    const rows: EventRecord[] = await inTime(pageOfEvent(reader, event, from, { before, limit: PAGE }))
    const groups = grouped([...open, ...rows])
    const isEnd = rows.length < PAGE
    open = isEnd ? [] : (groups.pop() ?? [])
    const events = groups.slice(0, left).flatMap(group => recordedOf(event, group) ?? [])
    left -= groups.length
    if (events.length > 0) yield events
    if (isEnd || left <= 0) return
    before = rows.at(-1)!
  }
}

function grouped(rows: readonly EventRecord[]): EventRecord[][] {
  const groups: EventRecord[][] = []
  let current = ''
  for (const row of rows) {
    const key = String(bodyOf(row)?.event_id ?? row.id)
    if (key !== current || groups.length === 0) groups.push([])
    groups.at(-1)!.push(row)
    current = key
  }
  return groups
}

function bodyOf({ body }: EventRecord): Record<string, unknown> | null {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

function recordedOf(event: string, group: readonly EventRecord[]): Recorded | null {
  const bodies = group.map(bodyOf).filter(body => body !== null)
  const [first] = bodies
  const request = first?.request
  if (!first || typeof request !== 'object' || request === null) return null
  const [row] = group
  const masked = Array.isArray(first.redacted) ? first.redacted : []
  return {
    event,
    facts: request as Record<string, unknown>,
    isMasked: masked.some(note => String(note).startsWith('request')),
    verdict: wordIn(first.verdict),
    said: bodies
      .filter(body => body.mode !== 'observe')
      .map(body => ({ hookId: Number(body.hook_id ?? 0), word: wordIn(body.response) })),
    shown: {
      recordId: row!.id,
      at: new Date(row!.at).toISOString(),
      deviceName: row!.name ?? '',
      summary: row!.summary,
    },
  }
}

function wordIn(value: unknown): Word {
  const { permission, continue: goesOn } = (
    typeof value === 'object' && value !== null ? value : {}
  ) as Record<string, unknown>
  if (permission === 'allow' || permission === 'deny' || permission === 'ask') return permission
  return goesOn === false ? 'deny' : goesOn === true ? 'allow' : 'none'
}

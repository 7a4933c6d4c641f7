// One conversation as a tree of spans: prompts, the tools in them, their actions, subagents with their conversations,
// follow-ups, and hooks under the actions that they judged. Each moment is visited once, whatever the depth.

import type { Moment } from './moments.js'
import { type Pairs, pair, subagentOf } from './pairs.js'

export interface Span {
  readonly id: string
  readonly parentId: string
  readonly kind: Moment['trace']['kind'] | 'loop' | 'hook'
  readonly name: string
  readonly subject: string
  startMs: number
  /** Undefined if its end is not known. */
  endMs: number | undefined
  readonly event: string
  verdict: string
  readonly source: string
  runId: string
}

/** The position in a conversation. */
interface Conversation {
  readonly root: Span
  prompt: Span | undefined
  loop: Span | undefined
  loops: number
  /** The text of the last follow-up. */
  followup: string | undefined
  /** Tools whose end is known, innermost last. */
  readonly tools: Span[]
  /** If the end of a tool is unknown, the events up to the next tool belong to it. */
  last: Span | undefined
  /** Subagents that began here and have no events yet. */
  readonly waiting: Span[]
}

export interface Traced {
  /** Parents before their children, times since the first of them. */
  readonly spans: readonly Span[]
  /** When that was. */
  readonly beganMs: number
}

export function traceOf(moments: readonly Moment[], rootId: string): Traced {
  const tracer = new Tracer(pair(moments), rootId, moments[0]?.startMs ?? 0)
  for (const moment of moments) tracer.take(moment)
  const { spans } = tracer
  const zero = spans.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY)
  // The first span is the conversation, which began when anything in it did. Clocks can be set back, and the durations
  // that agents report are rough: no child starts before its parent, and no span ends before it starts.
  const starts = new Map([['', 0]])
  spans[0]!.startMs = zero
  for (const span of spans) {
    span.startMs = Math.max(span.startMs - zero, starts.get(span.parentId)!)
    starts.set(span.id, span.startMs)
    if (span.endMs !== undefined) span.endMs = Math.max(span.startMs, span.endMs - zero)
  }
  return { spans, beganMs: zero }
}

class Tracer {
  readonly spans: Span[] = []
  private readonly conversations = new Map<string, Conversation>()
  private readonly byBeginning = new Map<Moment, Span>()
  private readonly subagents = new Map<string, Span>()

  constructor(
    private readonly pairs: Pairs,
    private readonly rootId: string,
    startMs: number,
  ) {
    const root = this.add('', { kind: 'session', name: 'Session', startMs, id: `session:${rootId}` })
    this.conversations.set(rootId, conversation(root))
  }

  take(moment: Moment): void {
    const own = this.conversationOf(moment)
    const span = this.place(moment, own)
    if (span.runId === '') span.runId = moment.runs[0]?.id ?? ''
    for (const run of moment.runs) {
      const { id, name, source, verdict, startMs, endMs } = run
      this.add(span.id, {
        id: `hook:${id}`,
        kind: 'hook',
        name,
        source,
        verdict,
        startMs,
        endMs,
        runId: id,
        event: moment.event,
      })
    }
  }

  /** The span that the moment belongs to. */
  private place(moment: Moment, own: Conversation): Span {
    const { kind, part } = moment.trace
    if (kind === 'session') return this.session(moment, own)
    if (kind === 'prompt') return part === 'begins' ? this.prompt(moment, own) : this.turnEnds(moment, own)
    if (part === 'begins') return this.begin(moment, own)
    return part === 'ends' ? this.end(moment, own) : this.whole(moment, own)
  }

  private session(moment: Moment, { root }: Conversation): Span {
    if (moment.trace.part === 'ends') root.endMs = Math.max(root.endMs ?? moment.endMs, moment.endMs)
    else root.startMs = Math.min(root.startMs, moment.startMs)
    if (moment.verdict !== 'none') root.verdict = moment.verdict
    return root
  }

  private prompt(moment: Moment, own: Conversation): Span {
    // A message that a hook caused is not a message of the user.
    if (own.loop && own.followup !== undefined && moment.fields.prompt === own.followup) {
      own.followup = undefined
      return this.whole(moment, own)
    }
    leaveTools(own)
    own.loop = undefined
    own.loops = 0
    const span = this.of(moment, own.root, 'Prompt')
    own.prompt = moment.verdict === 'deny' ? undefined : span
    if (moment.verdict === 'deny') span.endMs = moment.endMs
    return span
  }

  private turnEnds(moment: Moment, own: Conversation): Span {
    leaveTools(own)
    const span = own.loop ?? own.prompt ?? own.root
    if (span !== own.root) span.endMs = moment.endMs
    if (own.prompt) own.prompt.endMs = moment.endMs
    own.loop = undefined
    own.followup = moment.followup
    if (moment.followup === undefined) {
      own.prompt = undefined
      return span
    }
    own.loops++
    own.loop = this.add((own.prompt ?? own.root).id, {
      id: `loop:${moment.id}`,
      kind: 'loop',
      name: `Follow-up ${own.loops}`,
      subject: moment.followup,
      event: moment.event,
      startMs: moment.endMs,
      runId: moment.runs[0]?.id ?? '',
    })
    return span
  }

  private begin(moment: Moment, own: Conversation): Span {
    const { kind } = moment.trace
    if (kind === 'tool') own.last = undefined
    const span = this.of(moment, container(own), nameOf(moment))
    this.byBeginning.set(moment, span)
    if (moment.verdict === 'deny') {
      span.endMs = moment.endMs
      return span
    }
    if (kind === 'tool') {
      if (this.pairs.endOf(moment)) own.tools.push(span)
      else own.last = span
    }
    if (kind === 'subagent') {
      const id = subagentOf(moment.fields)
      if (id !== '') this.subagents.set(id, span)
      own.waiting.push(span)
    }
    return span
  }

  private end(moment: Moment, own: Conversation): Span {
    const beginning = this.pairs.beginningOf(moment)
    const begun = beginning && this.byBeginning.get(beginning)
    if (begun) {
      begun.endMs = moment.endMs
      const at = own.tools.lastIndexOf(begun)
      if (at >= 0) own.tools.splice(at, 1)
      return begun
    }
    const span = this.of(moment, container(own), nameOf(moment))
    span.startMs -= tookOf(moment)
    span.endMs = moment.endMs
    return span
  }

  private whole(moment: Moment, own: Conversation): Span {
    const span = this.of(moment, container(own), nameOf(moment))
    span.startMs -= tookOf(moment)
    span.endMs = moment.endMs
    return span
  }

  private conversationOf({ conversationId, parentId, fields, startMs, trace }: Moment): Conversation {
    const known = this.conversations.get(conversationId)
    if (known) return known
    const parent = this.conversations.get(parentId) ?? this.conversations.get(this.rootId)!
    const named = trace.kind === 'subagent' ? undefined : this.subagents.get(subagentOf(fields))
    const root = named ?? parent.waiting.shift() ?? this.unseen(conversationId, container(parent), startMs)
    const at = parent.waiting.indexOf(root)
    if (at >= 0) parent.waiting.splice(at, 1)
    const own = conversation(root)
    this.conversations.set(conversationId, own)
    return own
  }

  /** Its beginning is not in the log. */
  private unseen(conversationId: string, parent: Span, startMs: number): Span {
    const id = `subagent:${conversationId}`
    return this.add(parent.id, { id, kind: 'subagent', name: 'Subagent', startMs })
  }

  private of(moment: Moment, parent: Span, name: string): Span {
    const { id, trace, subject, startMs, event, verdict } = moment
    return this.add(parent.id, {
      id: `event:${id}`,
      kind: trace.kind,
      name,
      subject,
      startMs,
      event,
      verdict,
    })
  }

  private add(parentId: string, given: Pick<Span, 'id' | 'kind' | 'name' | 'startMs'> & Partial<Span>): Span {
    // Field by field, because there are tens of thousands of them.
    const { id, kind, name, startMs, endMs, subject = '', event = '', verdict = 'none' } = given
    const { source = '', runId = '' } = given
    const span: Span = { id, parentId, kind, name, subject, startMs, endMs, event, verdict, source, runId }
    this.spans.push(span)
    return span
  }
}

const conversation = (root: Span): Conversation => ({
  root,
  prompt: undefined,
  loop: undefined,
  loops: 0,
  followup: undefined,
  tools: [],
  last: undefined,
  waiting: [],
})

/** The innermost open span. */
const container = ({ tools, last, loop, prompt, root }: Conversation): Span =>
  last ?? tools.at(-1) ?? loop ?? prompt ?? root

function leaveTools(own: Conversation): void {
  own.tools.length = 0
  own.last = undefined
}

const NAMES: Readonly<Partial<Record<Moment['trace']['kind'], string>>> = {
  shell: 'Shell',
  read: 'Read',
  edit: 'Edit',
}

function nameOf({ trace, fields, event }: Moment): string {
  const named = trace.kind === 'subagent' ? fields.subagent_type : fields.tool_name
  return NAMES[trace.kind] ?? (typeof named === 'string' && named !== '' ? named : event)
}

function tookOf({ trace, fields }: Moment): number {
  const took = trace.took === undefined ? 0 : Number(fields[trace.took])
  return Number.isFinite(took) && took > 0 ? took : 0
}

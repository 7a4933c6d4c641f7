// given(event, payload).at(target): a test case with its expectations. It runs when it is awaited.

import { writeSync } from 'node:fs'
import { nearest } from '../index.js'
import { EVENT_NAMES, type EventName } from '../protocol/events.js'
import type { AnyFields, Payload } from '../protocol/payload.js'
import { onProcessEnd } from './cleanup.js'
import { compare, type Expected } from './expectations.js'
import { type CaseOptions, fireAt, type Result } from './fire.js'
import { createCaseError } from './mismatch-report.js'
import { nameOf, type Target } from './target.js'
import { SOME_TEXT, type Text } from './text.js'

/** Fields that are missing come from the event's sample. */
export type CasePayload<E extends EventName> = Partial<Omit<Payload<E>, 'hook_event_name'>>

export interface Given<E extends EventName> {
  at(target: Target<E>): Case
}

export function given<E extends EventName>(
  event: E,
  payload: CasePayload<E> = {},
  options: CaseOptions = {},
): Given<E> {
  if (!EVENT_NAMES.includes(event)) {
    const meant = nearest(String(event), EVENT_NAMES)
    throw new TypeError(`There is no event "${event}".${meant ? ` Did you mean ${meant}?` : ''}`)
  }
  return {
    at: target => new Case(event, payload as AnyFields, target as Target<never>, options, new Error()),
  }
}

export class Case implements PromiseLike<Result> {
  private expected: Expected = {}
  private fired: Promise<Result> | undefined

  /** @internal */
  constructor(
    private readonly event: EventName,
    private readonly payload: AnyFields,
    private readonly target: Target<never>,
    private readonly options: CaseOptions,
    private readonly origin: Error,
  ) {}

  /** A hook allows the action. */
  allows(message?: Text): this {
    return this.verdict('allow', message)
  }
  /** The action is stopped, with this message to the user or the model. */
  denies(message?: Text): this {
    return this.verdict('deny', message)
  }
  asks(message?: Text): this {
    return this.verdict('ask', message)
  }
  abstains(): this {
    return this.verdict('none')
  }
  /** The same as denies(), for prompts and sessions. */
  blocks(message?: Text): this {
    return this.verdict('blocked', message)
  }
  /** The action is neither stopped nor asked about. */
  proceeds(): this {
    return this.verdict('proceeds')
  }

  /** A string is the complete message; null means none. */
  hasUserMessage(message: Text): this {
    return this.and({ 'user message': message })
  }
  hasAgentMessage(message: Text): this {
    return this.and({ 'agent message': message })
  }
  /** Keys of the tool input that are replaced; other keys are not checked. */
  rewrites(input: Readonly<Record<string, unknown>> | null): this {
    return this.and({ rewrite: input })
  }
  replacesOutput(output: Readonly<Record<string, unknown>> | null): this {
    return this.and({ output })
  }
  addsContext(text: Text): this {
    return this.and({ context: text })
  }
  followsUp(text: Text = SOME_TEXT): this {
    return this.and({ followup: text })
  }
  doesNotFollowUp(): this {
    return this.and({ followup: null })
  }
  /** Sets variables for the rest of the session. */
  setsEnv(env: Readonly<Record<string, Text>> | null): this {
    return this.and({ env })
  }
  addsPlugins(paths: readonly string[] | null): this {
    return this.and({ plugins: paths })
  }
  /** The time of the event, in milliseconds. */
  within(ms: number): this {
    return this.and({ within: ms })
  }
  exits(code: number): this {
    return this.and({ exit: code })
  }
  writesToStderr(text: Text): this {
    return this.and({ stderr: text })
  }
  /** The number of hooks that run, or a part of the command of each. */
  runs(hooks: number | readonly string[]): this {
    return this.and({ ran: hooks })
  }
  /** A hook fails, and the action proceeds. */
  failsOpen(): this {
    return this.and({ failed: 'open' })
  }
  /** A hook fails, which stops the action. */
  failsClosed(): this {
    return this.and({ failed: 'closed' })
  }
  /** The default; for cases without another expectation. */
  doesNotFail(): this {
    return this.and({ failed: 'none' })
  }

  /** Runs the case once. Rejects with an AssertionError if an expectation is not met. */
  result(): Promise<Result> {
    unawaited.delete(this)
    this.fired ??= this.run()
    return this.fired
  }

  // biome-ignore lint/suspicious/noThenProperty: a case runs when it is awaited
  then<A = Result, B = never>(
    onDone?: ((result: Result) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.result().then(onDone, onFailed)
  }

  private verdict(verdict: NonNullable<Expected['verdict']>, message?: Text): this {
    return this.and(message === undefined ? { verdict } : { verdict, message })
  }

  private and(more: Expected): this {
    this.expected = { ...this.expected, ...more }
    reportIfUnawaited(this, this.origin)
    return this
  }

  private async run(): Promise<Result> {
    const { event, target, expected, origin, options } = this
    const location = { event, target: nameOf(target), profile: options.profile ?? 'holdfast', origin }
    let result: Result
    try {
      result = await fireAt(event, this.payload, target, options)
    } catch (error) {
      throw createCaseError(location, { error: error instanceof Error ? error.message : String(error) })
    }
    const mismatches = Object.keys(expected).length > 0 ? compare(expected, result) : []
    if (mismatches.length > 0) throw createCaseError(location, { mismatches, result })
    return result
  }
}

const unawaited = new Map<object, Error>()
let isReporting = false

/** A case that is never awaited tests nothing, so the end of the process reports it. */
function reportIfUnawaited(one: object, origin: Error): void {
  unawaited.set(one, origin)
  if (!isReporting) onProcessEnd(reportUnawaited)
  isReporting = true
}

function reportUnawaited(): void {
  for (const origin of unawaited.values()) {
    const frame = (origin.stack ?? '').split('\n').filter(line => /^\s+at /.test(line))[1] ?? ''
    const location = frame.trim().replace(/^at /, '')
    try {
      writeSync(2, `holdfast: a case was never awaited, so it tested nothing: ${location}\n`)
    } catch {
      // stderr is closed.
    }
  }
}

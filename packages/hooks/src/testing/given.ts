// given(event, facts).at(target): a case that waits to be awaited, with what is expected of it.

import { nearest } from '../index.js'
import { EVENT_NAMES, type EventName } from '../protocol/events.js'
import type { LooseFacts, Payload } from '../protocol/payload.js'
import { complaint } from './complaint.js'
import { compare, type Expected } from './expected.js'
import { fireAt, type GivenOptions, type Result } from './fire.js'
import { forgotten } from './forgotten.js'
import { nameOf, type Target } from './target.js'
import { SOME_TEXT, type Text } from './text.js'

/** What is left out comes from the event's sample. */
export type GivenFacts<E extends EventName> = Partial<Omit<Payload<E>, 'hook_event_name'>>

export interface Given<E extends EventName> {
  at(target: Target<E>): Case
}

export function given<E extends EventName>(
  event: E,
  facts: GivenFacts<E> = {},
  options: GivenOptions = {},
): Given<E> {
  if (!EVENT_NAMES.includes(event)) {
    const meant = nearest(String(event), EVENT_NAMES)
    throw new TypeError(`There is no event "${event}".${meant ? ` Did you mean ${meant}?` : ''}`)
  }
  return {
    at: target => new Case(event, facts as LooseFacts, target as Target<never>, options, new Error()),
  }
}

export class Case implements PromiseLike<Result> {
  private expected: Expected = {}
  private fired: Promise<Result> | undefined

  /** @internal */
  constructor(
    private readonly event: EventName,
    private readonly facts: LooseFacts,
    private readonly target: Target<never>,
    private readonly options: GivenOptions,
    private readonly from: Error,
  ) {}

  /** Some hook granted it. */
  allows(message?: Text): this {
    return this.verdict('allow', message)
  }
  /** It is stopped; the message is found in what the person or the model is told. */
  denies(message?: Text): this {
    return this.verdict('deny', message)
  }
  asks(message?: Text): this {
    return this.verdict('ask', message)
  }
  hasNoOpinion(): this {
    return this.verdict('none')
  }
  /** The same as denies; reads better where a prompt or a session is stopped. */
  blocks(message?: Text): this {
    return this.verdict('blocked', message)
  }
  /** Neither stopped nor asked about. */
  proceeds(): this {
    return this.verdict('proceeds')
  }

  /** A string is the whole message; null is none. */
  tellsUser(message: Text): this {
    return this.and({ 'user message': message })
  }
  tellsAgent(message: Text): this {
    return this.and({ 'agent message': message })
  }
  /** Keys of the tool input that are replaced; others may be, too. */
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
  /** Variables for the rest of the session. */
  sets(env: Readonly<Record<string, Text>> | null): this {
    return this.and({ env })
  }
  namesPlugins(paths: readonly string[] | null): this {
    return this.and({ plugins: paths })
  }
  /** All hooks together, in milliseconds. */
  within(ms: number): this {
    return this.and({ within: ms })
  }
  exits(code: number): this {
    return this.and({ exit: code })
  }
  writesToStderr(text: Text): this {
    return this.and({ stderr: text })
  }
  /** How many hooks ran, or a part of the command of each. */
  runs(hooks: number | readonly string[]): this {
    return this.and({ ran: hooks })
  }
  /** A hook fails, and the action goes on. */
  failsOpen(): this {
    return this.and({ failed: 'open' })
  }
  /** A hook fails, and that stops the action. */
  failsClosed(): this {
    return this.and({ failed: 'closed' })
  }
  /** Expected anyway; for cases that expect nothing else. */
  doesNotFail(): this {
    return this.and({ failed: 'none' })
  }

  /** Runs it, once; rejects with an AssertionError when something is not as expected. */
  result(): Promise<Result> {
    forgotten.delete(this)
    this.fired ??= this.run()
    return this.fired
  }

  // biome-ignore lint/suspicious/noThenProperty: a case is awaited, and begins only then
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
    forgotten.add(this, this.from)
    return this
  }

  private async run(): Promise<Result> {
    const { event, target, expected, from, options } = this
    const about = { event, target: nameOf(target), profile: options.profile ?? 'holdfast', from }
    let result: Result
    try {
      result = await fireAt(event, this.facts, target, options)
    } catch (error) {
      throw complaint(about, { reason: error instanceof Error ? error.message : String(error) })
    }
    const mismatches = Object.keys(expected).length > 0 ? compare(expected, result) : []
    if (mismatches.length > 0) throw complaint(about, { mismatches, result })
    return result
  }
}

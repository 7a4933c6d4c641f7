// Hooks that run inside the host: functions that it registered, and questions that it puts to a model. They end
// like a process does, with an Exit, so that reading and deciding need not know them.

import { clockMs } from '../protocol/clock.js'
import type { HookDefinition } from '../protocol/config.js'
import type { EvaluatePrompt } from '../protocol/prompt.js'
import type { Event, Exit, Failure } from '../protocol/run.js'
import { answerOf, buildQuestion } from './prompt.js'
import { overTime } from './spawn.js'

export interface InsideOptions {
  /** A number that nobody can guess, for the fence around the payload. */
  readonly nonce?: () => Promise<string>
  readonly evaluatePrompt: EvaluatePrompt | undefined
  readonly signal?: AbortSignal | undefined
}

export function callFunction(hook: HookDefinition, event: Event, options: InsideOptions): Promise<Exit> {
  return within(hook, options, 'run/threw', async signal => {
    // A copy: what the function does to its payload reaches nobody else.
    const said = await hook.run!(structuredClone(event.payload), { signal })
    return said === undefined || said === null ? '' : inJson(said)
  })
}

/** What cannot be written down cannot be understood, and may have been a deny. */
function inJson(said: unknown): string {
  try {
    return JSON.stringify(said) ?? UNREADABLE
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE = 'The function answered with something that is not JSON.'

export function askModel(hook: HookDefinition, event: Event, options: InsideOptions): Promise<Exit> {
  const { evaluatePrompt, nonce = secretNonce } = options
  if (!evaluatePrompt) {
    const message = 'This host has no evaluatePrompt, so it cannot run prompt hooks.'
    return Promise.resolve(ended('', 0, { code: 'run/no-evaluator', message }))
  }
  return within(hook, options, 'run/model', async signal => {
    const question = buildQuestion(hook.prompt!, event.payload, await nonce())
    const reply: unknown = await evaluatePrompt({
      ...question,
      model: hook.model ?? null,
      timeoutMs: hook.timeoutMs,
      signal,
    })
    return JSON.stringify(answerOf(reply, event.spec))
  })
}

/** Loaded late: it takes milliseconds, and few events have prompt hooks. */
const secretNonce = async () => (await import('node:crypto')).randomBytes(16).toString('hex')

/** Time limit and cancelling for work that cannot be killed: its result is no longer waited for. */
async function within(
  hook: HookDefinition,
  { signal }: InsideOptions,
  onThrow: 'run/threw' | 'run/model',
  work: (signal: AbortSignal) => Promise<string>,
): Promise<Exit> {
  const began = clockMs()
  const own = new AbortController()
  let stop: (failure: Failure) => void = () => {}
  const stopped = new Promise<Failure>(resolve => {
    stop = resolve
  })
  const cancel = () => stop({ code: 'run/signal', message: 'The host cancelled the event.' })
  const timer = setTimeout(
    () => stop({ code: 'run/timeout', message: overTime(hook.timeoutMs) }),
    Math.min(hook.timeoutMs, 2 ** 31 - 1),
  )
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    const said = await Promise.race([work(own.signal), stopped])
    const took = clockMs() - began
    return typeof said === 'string' ? ended(said, took) : ended('', took, said)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return ended('', clockMs() - began, { code: onThrow, message })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
    own.abort()
  }
}

const ended = (stdout: string, durationMs: number, failure?: Failure): Exit => {
  const exit = { code: failure ? null : 0, signal: null, stdout, stderr: '', durationMs }
  return failure ? { ...exit, failure } : exit
}

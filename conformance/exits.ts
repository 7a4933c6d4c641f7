// The recorded end of a hook → the Exit that a real process, or a real model, would have given.

import type { HookDefinition } from '../packages/hooks/src/protocol/config.js'
import type { Event, Exit, Failure } from '../packages/hooks/src/protocol/run.js'
import { askModel } from '../packages/hooks/src/run/in-process.js'
import { STDERR_CUT } from '../packages/hooks/src/run/spawn.js'
import type { Case, CaseExit, CaseHook } from './case.js'
import { bytesOf } from './load.js'

/** The questions of prompt hooks, by their index in the case. */
export type Asked = Map<number, string>

interface Recorded {
  readonly recorded: CaseHook
  /** The number of its earlier runs for this event. */
  readonly nth: number
  readonly host: Case['host']
  readonly hook: HookDefinition
  readonly event: Event
  readonly place: number
  readonly asked: Asked
}

/** The end of the nth run of a hook for one event, from 0. */
export const endOf = ({ exit = {}, again = [] }: CaseHook, nth: number): CaseExit =>
  nth === 0 ? exit : (again[Math.min(nth, again.length) - 1] ?? exit)

export async function exitOf({ recorded, nth, host, hook, event, place, asked }: Recorded): Promise<Exit> {
  if (hook.type !== 'prompt') return exitOfScript(endOf(recorded, nth), hook, event)
  const evaluatePrompt = (question: { prompt: string }) => {
    asked.set(place, question.prompt)
    return replyOf(recorded.reply)
  }
  return askModel(hook, event, {
    nonce: async () => `n${place}-${Math.random()}`,
    evaluatePrompt: host?.model === false ? undefined : evaluatePrompt,
  })
}

/** The model of the case. Its response may have any type. */
export function replyOf(reply: CaseHook['reply']): Promise<{ ok: boolean }> {
  if (!reply || 'never' in reply) return new Promise(() => {})
  if ('fails' in reply) return Promise.reject(new Error(reply.fails))
  return Promise.resolve(reply.answers as { ok: boolean })
}

const FLOOD = 'noise '.repeat(10_000)
const DEFAULT_LIMIT_MS = 60_000
/** Exit codes of a shell that could not start a program. */
const SHELL_CODES: Readonly<Record<number, Failure['code']>> = {
  126: 'run/not-executable',
  127: 'run/not-found',
}

function exitOfScript(exit: CaseExit, hook: HookDefinition, event: Event): Exit {
  const stdout = bytesOf(exit.stdout, exit.stdout_base64).toString('utf8')
  const stderr = bytesOf(exit.stderr).toString('utf8')
  const ended = { code: exit.code ?? 0, signal: null, stdout, stderr, durationMs: 1 }
  const over = (code: Failure['code'], printed: Partial<Exit> = {}): Exit => ({
    ...ended,
    code: null,
    ...printed,
    failure: { code, message: `Recorded: ${code}.` },
  })
  const limitMs = event.profile.config.keys.includes('timeout') ? hook.timeoutMs : DEFAULT_LIMIT_MS
  if (exit.takes !== undefined && exit.takes * 1000 > limitMs) {
    return over('run/timeout', { stdout: '', stderr: '' })
  }
  if (exit.not_found) return over('run/not-found', { stdout: '', stderr: '' })
  if (exit.not_executable) return over('run/not-executable', { stdout: '', stderr: '' })
  if (exit.timeout) return over('run/timeout')
  if (exit.overflow === 'stdout') return over('run/overflow', { stdout: stdout + FLOOD })
  if (exit.overflow === 'stderr') return { ...ended, stderr: stderr + FLOOD, notes: [STDERR_CUT] }
  if (exit.signal) return over('run/signal', { signal: `SIG${exit.signal}` })
  if (ended.code === 0 || ended.code === 2) return ended
  return over(SHELL_CODES[ended.code] ?? 'run/exit', { code: ended.code })
}

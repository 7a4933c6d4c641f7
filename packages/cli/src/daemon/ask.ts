// The questions from hooks in the daemon, as its callers see them: ask one, list them, answer one.

import type { Refusal } from '@holdfast/hooks'
import type { OpenQuestion, Waiting } from './questions.js'

/** Undefined if no daemon runs, or if it fails: the caller then does what it does without a daemon. */
export async function askDaemon(
  home: string,
  question: OpenQuestion,
  signal: AbortSignal,
): Promise<true | Refusal | undefined> {
  // Loaded late: most events ask nothing.
  const { callDaemon } = await import('./connect.js')
  const input = Buffer.from(JSON.stringify(question))
  const called = await callDaemon({ home, words: ['approvals', 'ask'], input, signal })
  if (called.kind !== 'reply' || called.reply.exitCode !== 0) return undefined
  const { answer } = JSON.parse(called.reply.stdout) as { readonly answer: true | Refusal }
  return answer
}

/** The questions that wait, or why there are none: no daemon runs, or it does not respond as it should. */
export async function waitingQuestions(home: string): Promise<readonly Waiting[] | 'absent' | 'broken'> {
  const { callDaemon } = await import('./connect.js')
  const called = await callDaemon({ home, words: ['approvals', 'list'] })
  if (called.kind === 'reply') return JSON.parse(called.reply.stdout) as Waiting[]
  return called.kind === 'absent' ? 'absent' : 'broken'
}

/** False if another answer came first, or the question was withdrawn. */
export async function answerQuestion(home: string, id: string, answer: 'allow' | 'deny'): Promise<boolean> {
  const { callDaemon } = await import('./connect.js')
  const called = await callDaemon({ home, words: ['approvals', answer, id] })
  return called.kind === 'reply' && called.reply.exitCode === 0
}

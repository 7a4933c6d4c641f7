// The question of a bridge that runs in Node, put to the daemon.

import type { Refusal } from '@holdfast/hooks'
import type { OpenQuestion } from './questions.js'

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

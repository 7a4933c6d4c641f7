// The daemon, as doctor finds it.

import { callDaemon } from '../daemon/connect.js'
import type { DaemonStatus } from '../daemon/serve.js'
import type { DaemonFinding } from './findings.js'

/** Undefined if none runs, which is normal. */
export async function examineDaemon(home: string): Promise<DaemonFinding | undefined> {
  const called = await callDaemon({ home, words: ['daemon', 'status'] })
  if (called.kind === 'absent') return undefined
  if (called.kind !== 'reply') {
    const message =
      called.kind === 'declined'
        ? 'Each event starts Node, because the daemon belongs to another installation or folder.'
        : 'It does not respond, so each event waits for it and then starts Node.'
    return { state: 'trouble', message: `${message} See: holdfast daemon logs` }
  }
  const { pid, calls, declined } = JSON.parse(called.reply.stdout) as DaemonStatus
  const left = Object.values(declined).reduce((sum, count) => sum + count, 0)
  const rest = left > 0 ? `; it left ${left} to Node, see: holdfast daemon status` : ''
  return { state: 'running', message: `Process ${pid} answered ${calls} calls${rest}.` }
}

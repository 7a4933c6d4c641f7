// The bundle of the daemon: what it does for a call.

import { parse } from '../arguments.js'
import { callBridge } from '../bridge-call.js'
import { optionsOf } from '../command.js'
import { command as bridge } from '../commands/bridge.js'
import { isUsageError } from '../usage-error.js'
import { currentFolder, homeOf } from '../workspace.js'
import { startGuard } from './guard.js'
import { notifyDesktop } from './notify.js'
import type { Reply } from './protocol.js'
import { type OpenQuestion, openQuestions, type Questions } from './questions.js'
import { type Call, type Daemon, serve } from './serve.js'
import { openWatchdog } from './watchdog.js'

export { handOver } from '../model.js'

const BRIDGE_OPTIONS = optionsOf(bridge)

/** Resolves when the daemon has ended. */
export async function runDaemon(home: string, idleMs: number): Promise<void> {
  const log = (text: string) => {
    try {
      process.stderr.write(`${new Date().toISOString()} ${text}\n`)
    } catch {
      // The disk is full.
    }
  }
  process.stderr.on('error', () => {})
  openWatchdog()
  await new Promise<void>((resolve, reject) => {
    let daemon: Daemon | undefined
    const questions = openQuestions(log, question => void notifyDesktop(question).catch(() => {}))
    const answer = (call: Call) => answerCall(call, daemon!, questions)
    serve({ home, idleMs, answer, log }, resolve).then(started => {
      daemon = started
      for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
        process.on(signal, () => started.retire(signal))
    }, reject)
  })
}

/** Undefined for a call that the caller must do itself, such as one that prints help or a usage error. */
async function answerCall(call: Call, daemon: Daemon, questions: Questions): Promise<Reply | undefined> {
  const [name, ...rest] = call.words
  if (name === 'bridge') return answerBridge(rest, call, questions)
  if (name === 'approvals') return answerApprovals(rest, call, questions)
  if (name !== 'daemon') return undefined
  if (rest[0] === 'end') setImmediate(() => daemon.retire('holdfast daemon stop'))
  return replyWith(daemon.status())
}

const replyWith = (value: unknown, exitCode = 0): Reply => ({
  exitCode,
  stdout: JSON.stringify(value),
  stderr: '',
})

async function answerApprovals(
  [action, id = '']: readonly string[],
  { body, signal }: Call,
  questions: Questions,
): Promise<Reply | undefined> {
  if (action === 'list') return replyWith(questions.list())
  if (action === 'allow' || action === 'deny')
    return replyWith(null, questions.answer(id, action === 'allow') ? 0 : 1)
  if (action !== 'ask') return undefined
  const question = JSON.parse(body.toString('utf8')) as OpenQuestion
  return replyWith({ answer: await questions.ask(question, signal) })
}

async function answerBridge(
  argv: readonly string[],
  { body, signal }: Call,
  questions: Questions,
): Promise<Reply | undefined> {
  try {
    const given = parse('bridge', argv, BRIDGE_OPTIONS)
    if (given.has('help') || given.positionals.length !== 1) return undefined
    const output = await callBridge(given, {
      readInput: async () => body.toString('utf8'),
      ask: (question, until) => questions.ask(question, until),
      startCommand: startGuard,
      openStaleInstalls: () => import('../install/stale.js'),
      interrupt: signal,
    })
    const home = homeOf(given, currentFolder())
    setImmediate(async () => (await import('@holdfast/hosts/team')).revive(home))
    return output
  } catch (error) {
    if (isUsageError(error)) return undefined
    throw error
  }
}

// holdfast fire: one event, its hooks run, the verdict as a report or as JSON and as an exit code.

import { HooksError, isAsking, isBlocked, openHooks } from '@holdfast/hooks'
import type { EvaluatePrompt } from '@holdfast/hooks/protocol'
import { type Call, readCall } from '../call.js'
import { Complaint } from '../complaint.js'
import { verdictJson } from '../print/fire-json.js'
import { fireReport } from '../print/fire-report.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { workspaceOf } from '../workspace.js'

const EXIT = { proceeds: 0, denied: 2, asks: 3 } as const

export async function run(argv: readonly string[]): Promise<number> {
  const call = await readCall('fire', argv, { 'no-log': 'flag' })
  if (!call) return (await import('./help.js')).run(['fire'])
  const { given, spec, facts } = call
  const { host, logFile, screen } = workspaceOf(given)
  const hooks = await openHooks({
    ...host,
    ...whoAndWhat(call),
    evaluatePrompt,
    log: { file: given.has('no-log') ? null : logFile },
  })
  try {
    const verdict = await hooks.fire(spec.name, facts as never, { signal: interrupted() })
    if (given.has('json')) printJson(verdictJson(verdict, hooks.issues()))
    else print(fireReport({ verdict, facts, issues: hooks.issues() }, screen))
    const problem = hooks.logProblem()
    if (problem) printError(`${visible(problem)}\n`)
    return isBlocked(verdict) ? EXIT.denied : isAsking(verdict) ? EXIT.asks : EXIT.proceeds
  } catch (error) {
    if (HooksError.isInstance(error)) throw new Complaint(error.message.replace(/^\[[\w/-]+\] /, ''))
    throw error
  } finally {
    hooks.close()
  }
}

/** Facts that hooks also read from their environment, so the host must say them. */
function whoAndWhat({ facts }: Call): { version?: string; userEmail?: string } {
  const { cursor_version, user_email } = facts
  return {
    ...(typeof cursor_version === 'string' ? { version: cursor_version } : {}),
    ...(typeof user_email === 'string' ? { userEmail: user_email } : {}),
  }
}

/** Loads the model's side only when a prompt hook is really asked. */
const evaluatePrompt: EvaluatePrompt = async question => {
  const { promptEvaluator } = await import('@holdfast/hosts/ai-sdk')
  return promptEvaluator()(question)
}

/** Hooks have groups of their own and do not hear the terminal's interrupt: they are told. */
function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      process.exitCode = name === 'SIGINT' ? 130 : 143
      controller.abort()
    })
  }
  return controller.signal
}

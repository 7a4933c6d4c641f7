// holdfast fire: one event, its hooks run, the verdict as a report or as JSON and as an exit code.

import { statSync } from 'node:fs'
import { type Hooks, HooksError, isAsking, isBlocked, openHooks } from '@holdfast/hooks'
import type { Catalog, HookDefinition, Issue, Verdict } from '@holdfast/hooks/protocol'
import { type Call, readCall } from '../call.js'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { openWorkshop, showHelp } from '../load.js'
import { evaluatePrompt } from '../model.js'
import { print, printError, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { whoAndWhat } from '../who.js'
import { workspaceOf } from '../workspace.js'

const EXIT = { proceeds: 0, trouble: 1, denied: 2, asks: 3 } as const

export async function run(argv: readonly string[]): Promise<number> {
  const call = await readCall('fire', argv, { 'no-log': 'flag' })
  if (!call) return showHelp('fire')
  const { given, spec, fields } = call
  const profile = given.value('profile')
  if (profile !== undefined && SEVERAL.test(profile)) {
    const { fireUnderEach } = await openWorkshop().several()
    return fireUnderEach(call, profile, { ...whoAndWhat(fields), evaluatePrompt }, interrupted())
  }
  const { host, home, logFile, screen } = workspaceOf(given)
  const hooks = await openHooks({
    ...host,
    ...whoAndWhat(fields),
    evaluatePrompt,
    log: { file: given.has('no-log') ? null : logFile },
  })
  try {
    // What prints is loaded while the hooks run.
    const [verdict, show, stale] = await Promise.all([
      hooks.fire(spec.name, fields as never, { signal: interrupted() }),
      given.has('json') ? jsonPrinter() : reportPrinter(fields, screen),
      // A verdict does not depend on it.
      staleOf(hooks.catalog().byEvent.get(spec.name) ?? []).catch(() => []),
    ])
    const code = exitCode(verdict, hooks.catalog())
    try {
      show(verdict, [...(await issuesFor(verdict, hooks)), ...stale])
    } catch (error) {
      // A full disk behind stdout does not change what was decided.
      printError(`The verdict could not be printed: ${visible((error as Error).message)}.\n`)
      return code
    }
    const problem = hooks.logProblem()
    if (problem) printError(`${visible(problem)}\n`)
    const { revive } = await import('@holdfast/hosts/team')
    await revive(home)
    return code
  } catch (error) {
    throw asComplaint(error)
  } finally {
    hooks.close()
  }
}

/** Only the source of a newer date is compared: most hooks are fired as they were built. */
async function staleOf(hooks: readonly HookDefinition[]): Promise<Issue[]> {
  const isNewer = ({ path }: HookDefinition['scripts'][number]) => {
    const built = /\.[cm]?js$/.test(path) ? timeOf(path) : undefined
    const bare = path.replace(/\.[cm]?js$/, '')
    return built !== undefined && ['ts', 'mts', 'cts'].some(end => (timeOf(`${bare}.${end}`) ?? 0) > built)
  }
  const newer = hooks.filter(({ scripts }) => scripts.some(isNewer))
  if (newer.length === 0) return []
  const { staleBundles } = await openWorkshop().bundles()
  return staleBundles(newer)
}

const timeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs

/** `all`, or names with commas between them. */
const SEVERAL = /^\s*all\s*$|,/

/** What the engine refuses is said in one sentence; anything else is thrown as it is. */
export function asComplaint(error: unknown): unknown {
  if (!HooksError.isInstance(error)) return error
  if (error.code === 'use/aborted') return new Complaint('Interrupted; the hooks were ended, too.')
  return new Complaint(error.message.replace(/^\[[\w/-]+\] /, ''))
}

/** A file that could not be read may have held the hook that denies: then nothing is said to be in order. */
export function exitCode(verdict: Verdict, { layers }: Catalog): number {
  if (isBlocked(verdict)) return EXIT.denied
  if (isAsking(verdict)) return EXIT.asks
  return layers.some(({ state }) => state === 'failed') ? EXIT.trouble : EXIT.proceeds
}

/** The issues of loading. Findings of `check` are looked for only where they may explain why a hook failed or none exists. */
async function issuesFor({ runs }: Verdict, hooks: Hooks): Promise<readonly Issue[]> {
  const isAsExpected = runs.every(({ outcome }) => outcome.kind !== 'failed') && hooks.list().length > 0
  return isAsExpected ? hooks.issues() : (await openWorkshop().lint()).issuesOf(hooks)
}

type Printer = (verdict: Verdict, issues: readonly Issue[]) => void

async function jsonPrinter(): Promise<Printer> {
  const { verdictJson } = await import('../print/fire-json.js')
  return (verdict, issues) => printJson(verdictJson(verdict, issues))
}

async function reportPrinter(fields: Call['fields'], screen: Screen): Promise<Printer> {
  const { fireReport } = await import('../print/fire-report.js')
  return (verdict, issues) => print(fireReport({ verdict, fields, issues }, screen))
}

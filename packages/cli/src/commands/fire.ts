// holdfast fire: runs the hooks of one event and reports the verdict as text, as JSON and as an exit code.

import { statSync } from 'node:fs'
import { type Hooks, isAsking, isBlocked, openHooks } from '@holdfast/hooks'
import type { Catalog, HookDefinition, Issue, Verdict } from '@holdfast/hooks/protocol'
import { flag, type Given } from '../arguments.js'
import { type Call, EVENT_ARGUMENT, FIELDS, readCall, withFields } from '../call.js'
import type { Command } from '../command.js'
import { interrupted } from '../interrupt.js'
import { openCommands } from '../load.js'
import { evaluatePrompt } from '../model.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { print, printError, printJson, type Screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { whoAndWhat } from '../who.js'
import { workspaceOf } from '../workspace.js'

const EXIT = { proceeds: 0, trouble: 1, denied: 2, asks: 3 } as const

export const command: Command = {
  name: 'fire',
  summary: 'Run the hooks of an event and show the verdict',
  arguments: [EVENT_ARGUMENT],
  options: [
    FIELDS,
    { options: { 'no-log': flag('do not write to the log; records for a team are still stored') } },
    WORKSPACE,
    OUTPUT,
  ],
  sections: [
    {
      title: 'Several versions',
      text: 'With --profile all, or several names such as cursor-2.3,cursor-3, the output has a row per version: what the hooks receive, which responses count, and the verdict. Each hook really runs once per version, one after the other, with its side effects. Nothing is logged.',
    },
  ],
  exitCodes: {
    0: 'the action may proceed',
    1: 'the call or a hooks file is wrong',
    2: 'denied',
    3: 'a hook asks the user. With several versions: the result of holdfast, or else of the first version',
  },
  examples: [
    'holdfast fire beforeShellExecution --command "git push --force"',
    `holdfast fire preToolUse --tool-name Shell --tool-input '{"command":"ls"}' --json`,
    `echo '{"hook_event_name":"stop","status":"completed"}' | holdfast fire --payload -`,
    'holdfast fire beforeSubmitPrompt --prompt "deploy" --profile all',
  ],
  extend: withFields,
  run,
}

async function run(given: Given): Promise<number> {
  const call = await readCall('fire', given)
  const { spec, fields } = call
  const profile = given.value('profile')
  if (profile !== undefined && SEVERAL.test(profile)) {
    const { fireUnderEach } = await openCommands().openProfiles()
    return fireUnderEach(call, profile, { ...whoAndWhat(fields), evaluatePrompt }, interrupted())
  }
  const { host, home, logFile, screen } = workspaceOf(given)
  const signal = interrupted()
  const hooks = await openHooks({
    ...host,
    ...whoAndWhat(fields),
    evaluatePrompt,
    log: { file: given.has('no-log') ? null : logFile },
  })
  try {
    // The code that prints is loaded while the hooks run.
    const [verdict, show, stale] = await Promise.all([
      hooks.fire(spec.name, fields as never, { signal }),
      given.has('json') ? jsonPrinter() : reportPrinter(fields, screen),
      // A verdict does not depend on it.
      staleOf(hooks.catalog().byEvent.get(spec.name) ?? []).catch(() => []),
    ])
    const code = exitCode(verdict, hooks.catalog())
    try {
      show(verdict, [...(await issuesFor(verdict, hooks)), ...stale])
    } catch (error) {
      // A full disk behind stdout does not change the verdict.
      printError(`The verdict could not be printed: ${visible((error as Error).message)}.\n`)
      return code
    }
    const problem = hooks.logProblem()
    if (problem) printError(`${visible(problem)}\n`)
    const aborted = new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
    if (!signal.aborted) await Promise.race([hooks.idle(), aborted])
    const { revive } = await import('@holdfast/hosts/team')
    await revive(home)
    return code
  } finally {
    hooks.close()
  }
}

/** Only a newer source is compared, because most hooks are fired as they were built. */
async function staleOf(hooks: readonly HookDefinition[]): Promise<Issue[]> {
  const isNewer = ({ path }: HookDefinition['scripts'][number]) => {
    const built = /\.[cm]?js$/.test(path) ? timeOf(path) : undefined
    const bare = path.replace(/\.[cm]?js$/, '')
    return built !== undefined && ['ts', 'mts', 'cts'].some(end => (timeOf(`${bare}.${end}`) ?? 0) > built)
  }
  const newer = hooks.filter(({ scripts }) => scripts.some(isNewer))
  if (newer.length === 0) return []
  const { staleBundles } = await openCommands().openStaleBundles()
  return staleBundles(newer)
}

const timeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.mtimeMs

/** `all`, or names with commas between them. */
const SEVERAL = /^\s*all\s*$|,/

/** A file that could not be read may contain the hook that denies, so success is not reported. */
export function exitCode(verdict: Verdict, { layers }: Catalog): number {
  if (isBlocked(verdict)) return EXIT.denied
  if (isAsking(verdict)) return EXIT.asks
  return layers.some(({ state }) => state === 'failed') ? EXIT.trouble : EXIT.proceeds
}

/**
 * The issues of loading. Findings of `check` are added only where they may explain why a hook failed or none exists.
 */
async function issuesFor({ runs }: Verdict, hooks: Hooks): Promise<readonly Issue[]> {
  const isAsExpected = runs.every(({ outcome }) => outcome.kind !== 'failed') && hooks.list().length > 0
  return isAsExpected ? hooks.issues() : (await openCommands().openLint()).issuesOf(hooks)
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

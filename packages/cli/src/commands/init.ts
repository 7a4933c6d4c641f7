// holdfast init: a first hook with its test, shown before it is written, and taken back byte for byte with --undo.

import { EVENT_NAMES, findEvent } from '@holdfast/hooks/protocol'
import { Complaint } from '../complaint.js'
import { carryOut, forget, journalFolder } from '../edit/journal.js'
import { fatesOf, takeBack } from '../edit/undo.js'
import { type Example, exampleNamed, examples } from '../init/example.js'
import { sampleEvents } from '../init/job.js'
import { LANGUAGES } from '../init/language.js'
import { type LevelName, levelOf } from '../init/level.js'
import { type Choices, makePlan } from '../init/plan.js'
import { exampleList, planJson, planText, writtenText } from '../init/report.js'
import { trustAdded } from '../init/trust.js'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { isTerminal, print, printError, printJson } from '../print/terminal.js'
import { undo } from '../undo.js'
import { workspaceOf } from '../workspace.js'

const OPTIONS = {
  project: 'flag',
  user: 'flag',
  language: 'value',
  events: 'list',
  example: 'list',
  list: 'flag',
  yes: 'flag',
  'dry-run': 'flag',
  undo: 'flag',
  root: 'value',
  home: 'value',
  ...OUTPUT,
} as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('init', argv, OPTIONS)
  if (given.has('help')) return showHelp('init')
  noMore('init', given.positionals, 0)
  const workspace = workspaceOf(given)
  const { screen, home } = workspace
  const isJson = given.has('json')
  if (given.has('list') || given.list('example').includes('list')) {
    if (isJson) printJson({ examples: examples().map(({ name, summary }) => ({ name, summary })) })
    else print(exampleList(examples(), screen))
    return 0
  }
  if (given.has('undo')) {
    mustBeAlone(given)
    const level = levelOf(levelIn(given) ?? 'project', workspace)
    return undo('init', level.folder, given, workspace)
  }

  const mayAsk = !given.has('yes') && !given.has('dry-run') && !isJson && isTerminal() && process.stdin.isTTY
  const wizard = mayAsk ? await import('../init/wizard.js') : undefined
  const asked = wizard ? await wizard.ask(levelIn(given), choicesIn(given)) : undefined
  if (wizard && !asked) return 1
  const level = levelOf(asked?.level ?? levelIn(given) ?? 'project', workspace)
  const choices = asked?.choices ?? completed(choicesIn(given))
  const plan = await makePlan(choices, level, workspace)

  const isDry = given.has('dry-run')
  if (!isJson) print(planText(plan, screen))
  if (plan.changes.length === 0) {
    if (isJson) printJson(planJson(plan, { written: false, trusted: 0 }))
    return 0
  }
  const agreed = !isDry && (given.has('yes') || (await wizard?.agree(plan)) === true)
  if (!agreed) {
    if (isJson) printJson(planJson(plan, { written: false, trusted: 0 }))
    if (isDry) {
      if (!isJson) print('  Nothing was written.\n\n')
      return 0
    }
    printError(`Nothing was written.${wizard ? '' : ' To write this, add --yes.'}\n`)
    return 1
  }
  const holders = plan.hooks.change ? [plan.hooks.change.path] : []
  const stored = carryOut(journalFolder(home, level.folder), 'init', plan.changes, holders)
  const trusted = await trustAdded(plan, stored, workspace).catch(error => {
    // Hooks that were written and do not run would be half a job.
    takeBack(stored, fatesOf(stored))
    forget(stored)
    throw new Complaint(
      `That the hooks are trusted cannot be kept in ${workspace.trustFile}: ${error.message}. Everything is as it was before.`,
    )
  })
  if (isJson) printJson(planJson(plan, { written: true, trusted }))
  else print(writtenText(plan, choices, trusted, screen))
  return 0
}

const levelIn = (given: Given): LevelName | undefined => {
  if (given.has('project') && given.has('user')) throw new Complaint('Give --project or --user, not both.')
  if (given.has('user') && given.has('root'))
    throw new Complaint('--root goes with --project, not with --user.')
  return given.has('user') ? 'user' : given.has('project') ? 'project' : undefined
}

/** What the flags say; the rest is open. */
export function choicesIn(given: Given): Partial<Choices> {
  const language = given.value('language')
  const names = given.list('events').flatMap(list => list.split(','))
  const events = names.map(name => findEvent(known('event', name.trim(), EVENT_NAMES))!)
  const all = given.list('example').length > 0 ? examples() : []
  const wanted: Example[] = given.list('example').map(name => exampleNamed(name, all))
  return {
    ...(language === undefined ? {} : { language: known('language', language, LANGUAGES) }),
    ...(events.length === 0 ? {} : { events: [...new Set(events)] }),
    ...(wanted.length === 0 ? {} : { examples: [...new Set(wanted)] }),
  }
}

/** A shell script on the sample events, unless somebody wants examples and nothing else. */
function completed({ language, events, examples = [] }: Partial<Choices>): Choices {
  const onlyExamples = examples.length > 0 && !language && !events
  return {
    language: onlyExamples ? undefined : (language ?? 'bash'),
    events: events ?? sampleEvents(),
    examples,
  }
}

function mustBeAlone(given: Given): void {
  const other = ['language', 'events', 'example', 'yes'].find(name => given.has(name))
  if (other) throw new Complaint(`--undo takes the last init back and has no use for --${other}.`)
}

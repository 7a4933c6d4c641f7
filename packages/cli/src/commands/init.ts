// holdfast init: writes a first hook with its test. Shows it before writing; --undo restores every byte.

import { EVENT_NAMES, findEvent } from '@holdfast/hooks/protocol'
import { flag, type Given, list, oneOf, value } from '../arguments.js'
import type { Command } from '../command.js'
import { carryOut, forget, journalFolder } from '../edit/journal.js'
import { fatesOf, takeBack } from '../edit/undo.js'
import { type Example, exampleNamed, examples } from '../init/example.js'
import { sampleEvents } from '../init/job.js'
import { LANGUAGES, type Language } from '../init/language.js'
import { type LevelName, levelOf } from '../init/level.js'
import { type Choices, makePlan } from '../init/plan.js'
import { exampleList, planJson, planText, writtenText } from '../init/report.js'
import { trustAdded, trustedHooks } from '../init/trust.js'
import { OUTPUT, root } from '../option-sections.js'
import { canAsk } from '../print/prompts.js'
import { print, printError, printJson } from '../print/terminal.js'
import { undo } from '../undo.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'

export const command: Command = {
  name: 'init',
  summary: 'Write a first hook with its test',
  description: `On a terminal, init asks what to write; with --yes it takes the options. It shows all changes before it writes them. Existing files are not overwritten: entries are added to hooks.json, and everything else in it stays the same. The new hooks are trusted.`,
  options: [
    {
      options: {
        project: flag('write to .cursor/hooks.json, for everyone who works on this project (default)'),
        user: flag('write to ~/.cursor/hooks.json, for all your projects'),
        language: value('NAME', LANGUAGES.join(', '), { values: LANGUAGES, defaultText: 'bash' }),
        events: list('NAMES', 'events to handle, separated by commas', { defaultText: 'a sample of three' }),
        example: list('NAME', 'copy an example with its tests'),
        list: flag('list the examples'),
        yes: flag('write without asking'),
        'dry-run': flag('show the changes and write nothing'),
        undo: flag('undo the last init, byte for byte; again for the one before'),
        root,
        home: value('DIR', 'home folder, whose .holdfast folder holds the data for --undo', {
          defaultText: 'yours',
        }),
      },
    },
    OUTPUT,
  ],
  exitCodes: {
    0: 'written, or already present',
    1: 'nothing was written, or something could not be undone',
  },
  examples: [
    'holdfast init',
    'holdfast init --language python --events beforeShellExecution,stop --yes',
    'holdfast init --user --dry-run',
    'holdfast init --undo',
  ],
  run,
}

async function run(given: Given): Promise<number> {
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

  const mayAsk = !given.has('yes') && !given.has('dry-run') && !isJson && canAsk()
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
  const before = await trustedHooks(plan, workspace)
  const holders = plan.hooks.change ? [plan.hooks.change.path] : []
  const stored = carryOut(journalFolder(home, level.folder), 'init', plan.changes, holders)
  const trusted = await trustAdded(plan, before, stored, workspace).catch(error => {
    // Hooks that were written but are not trusted would not run.
    takeBack(stored, fatesOf(stored))
    forget(stored)
    throw new UsageError(
      `Trust in the hooks could not be saved in ${workspace.trustFile}: ${error.message}. Everything was restored.`,
    )
  })
  if (isJson) printJson(planJson(plan, { written: true, trusted }))
  else print(writtenText(plan, choices, trusted, screen))
  return 0
}

const levelIn = (given: Given): LevelName | undefined => {
  if (given.has('project') && given.has('user')) throw new UsageError('Give --project or --user, not both.')
  if (given.has('user') && given.has('root'))
    throw new UsageError('--root goes with --project, not with --user.')
  return given.has('user') ? 'user' : given.has('project') ? 'project' : undefined
}

/** The choices that the options make; the others are open. */
export function choicesIn(given: Given): Partial<Choices> {
  const language = given.value('language')
  const names = given.list('events').flatMap(list => list.split(','))
  const events = names.map(name => findEvent(oneOf('event', name.trim(), EVENT_NAMES))!)
  const all = given.list('example').length > 0 ? examples() : []
  const wanted: Example[] = given.list('example').map(name => exampleNamed(name, all))
  return {
    ...(language === undefined ? {} : { language: language as Language }),
    ...(events.length === 0 ? {} : { events: [...new Set(events)] }),
    ...(wanted.length === 0 ? {} : { examples: [...new Set(wanted)] }),
  }
}

/** A shell script for the sample events, unless only examples are wanted. */
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
  if (other) throw new UsageError(`--undo undoes the last init and cannot be used with --${other}.`)
}

// holdfast replay: the events of the log, fired again, and which verdicts change.

import { resolve } from 'node:path'
import { HooksError } from '@holdfast/hooks'
import { Complaint, isComplaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { type Given, noMore, parse, SHARED } from '../options.js'
import { shortPath } from '../print/place.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { playedJson } from '../replay/json.js'
import { type Played, play } from '../replay/play.js'
import { replaceWith } from '../replay/replace.js'
import { changesOf, leftOutLines, report } from '../replay/report.js'
import { type Selected, select, wantedOf } from '../replay/select.js'
import { sessionLines, sessionsOf } from '../replay/sessions.js'
import { type Workspace, workspaceOf } from '../workspace.js'

const EXIT = { same: 0, changes: 1, wrongCall: 2 } as const

const OPTIONS = {
  ...SHARED,
  session: 'value',
  since: 'value',
  event: 'value',
  limit: 'value',
  hooks: 'value',
  all: 'flag',
  list: 'flag',
} as const

export async function run(argv: readonly string[]): Promise<number> {
  try {
    return await start(argv)
  } catch (error) {
    // 1 says that verdicts change; a wrong call must not look like that.
    if (isComplaint(error)) process.exitCode ||= EXIT.wrongCall
    throw error
  }
}

async function start(argv: readonly string[]): Promise<number> {
  const given = parse('replay', argv, OPTIONS)
  if (given.has('help')) return showHelp('replay')
  noMore('replay', given.positionals, 0)
  const workspace = workspaceOf(given)
  const wanted = wantedOf(given, workspace.roots)
  const selected = select(workspace.logFile, wanted)
  if (selected.problem !== null) {
    const problem = `The log could not be read${selected.events.length > 0 ? ' whole' : ''}: ${selected.problem}`
    if (selected.events.length === 0) throw new Complaint(problem)
    printError(`${visible(problem)}\n`)
  }
  mustBeThere(wanted.session, selected)
  if (given.has('list')) return list(given, selected, workspace)
  const file = given.value('hooks')
  const hooksFile = file === undefined ? undefined : resolve(workspace.cwd, file)
  const replace = replaceWith(hooksFile, workspace)
  if (selected.events.length === 0 && !given.has('json')) {
    print(nothing(selected, workspace))
    // Whoever asks a machine must not hear "no change" about events that nobody could read.
    return selected.brokenLines > 0 ? EXIT.wrongCall : EXIT.same
  }
  const progress = openProgress()
  const played = await playing(() =>
    play(selected.events, {
      workspace,
      profile: given.value('profile') === undefined ? undefined : workspace.profile,
      replace,
      signal: interrupted(),
      onNext: index => progress.say(`event ${index + 1} of ${selected.events.length}`),
    }),
  ).finally(() => progress.end())
  const against =
    hooksFile === undefined ? 'the hooks as they are now' : shortPath(hooksFile, workspace.screen)
  if (given.has('json')) printJson(playedJson(played, selected, hooksFile ?? null))
  else print(report(played, selected, against, workspace.screen))
  const certain = played.replayed.filter(({ leftOut }) => leftOut.length === 0)
  if (changesOf(certain).length > 0) return EXIT.changes
  const isNothingKnown =
    played.replayed.length === 0 && (played.notReplayed.length > 0 || selected.brokenLines > 0)
  return isNothingKnown ? EXIT.wrongCall : EXIT.same
}

function mustBeThere(session: string | undefined, { events, elsewhere, isEmpty }: Selected): void {
  if (session === undefined || events.length > 0 || elsewhere > 0 || isEmpty) return
  throw new Complaint(`The log has no such event of a session "${session}". See: holdfast replay --list`)
}

async function playing(work: () => Promise<Played>): Promise<Played> {
  try {
    return await work()
  } catch (error) {
    if (HooksError.isInstance(error) && error.code === 'use/aborted')
      throw new Complaint('Interrupted; the hooks were ended, too.')
    throw error
  }
}

function list(given: Given, selected: Selected, workspace: Workspace): number {
  const rows = sessionsOf(selected.events)
  if (given.has('json'))
    printJson({ sessions: rows, other_projects: selected.elsewhere, more: selected.more })
  else if (rows.length === 0) print(nothing(selected, workspace))
  else
    print(
      `\n${[sessionLines(rows, workspace.screen), ...leftOutLines(selected, workspace.screen)].join('\n')}\n\n`,
    )
  return EXIT.same
}

function nothing({ isEmpty, elsewhere, brokenLines }: Selected, { logFile, screen }: Workspace): string {
  if (brokenLines > 0) {
    const seen = isEmpty ? 'None is left.' : 'Among the others there is no such event of this project.'
    return `\n  ${count(brokenLines, 'line')} of the log could not be read: ${shortPath(logFile, screen)}\n  ${seen}\n\n`
  }
  if (isEmpty) {
    return `\n  The log is empty: ${shortPath(logFile, screen)}\n  It holds the events for which a hook ran. Begin with: holdfast fire beforeShellExecution --command "ls"\n\n`
  }
  const others = elsewhere > 0 ? ` ${elsewhere} of other projects: --all takes them, too.` : ''
  return `\n  No such event of this project is in the log.${others}\n\n`
}

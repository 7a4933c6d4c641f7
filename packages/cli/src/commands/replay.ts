// holdfast replay: fires the events of the log again, and reports which verdicts change.

import { resolve } from 'node:path'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { interrupted } from '../interrupt.js'
import { OUTPUT, WORKSPACE } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { openProgress } from '../print/progress.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { playedJson } from '../replay/json.js'
import { play } from '../replay/play.js'
import { replaceWith } from '../replay/replace.js'
import { changesOf, leftOutLines, report } from '../replay/report.js'
import { type Selected, select, wantedOf } from '../replay/select.js'
import { sessionLines, sessionsOf } from '../replay/sessions.js'
import { UsageError } from '../usage-error.js'
import { type Workspace, workspaceOf } from '../workspace.js'

const EXIT = { same: 0, changes: 1, wrongCall: 2 } as const

export const command: Command = {
  name: 'replay',
  summary: 'Fire the events of the log again, and show which verdicts change',
  description: `Takes the events of this project from the log, oldest first, and fires each again with the current hooks, or with those of another file.

The hooks really run, one event after the other, with their side effects; HOLDFAST_REPLAY is 1 for them. Nothing is logged. Each event is fired as the version that it was recorded under, unless you give --profile.

The log contains the events for which a hook ran, without secrets and file contents. Without the omitted parts, a hook can decide differently. Such events are listed separately as inconclusive and do not affect the exit code.`,
  options: [
    {
      options: {
        hooks: value(
          'FILE',
          "use this file in place of the project's hooks.json; its paths are relative to the same folder, and its hooks are trusted",
        ),
        list: flag('only list the sessions in the log'),
        session: value('ID', 'only this session'),
        since: value('TIME', 'only events since then: 30m, 2h, 3d, 2026-01-31 or 2026-01-31T09:00'),
        event: value('NAME', 'only this event', { values: EVENT_NAMES }),
        limit: value('N', 'the last N events', { default: '1000' }),
        all: flag('events of other projects, too'),
      },
    },
    WORKSPACE,
    OUTPUT,
  ],
  exitCodes: {
    0: 'no verdict changes',
    1: 'verdicts change',
    2: 'the call or a hooks file is wrong, or no event could be read or replayed',
  },
  examples: [
    'holdfast replay',
    'holdfast replay --since 2d --hooks .cursor/hooks.next.json',
    'holdfast replay --list',
  ],
  usageErrorCode: EXIT.wrongCall,
  run,
}

async function run(given: Given): Promise<number> {
  const workspace = workspaceOf(given)
  const wanted = wantedOf(given, workspace.roots)
  const selected = select(workspace.logFile, wanted)
  if (selected.problem !== null) {
    const problem = `The log could not be read${selected.events.length > 0 ? ' completely' : ''}: ${selected.problem}`
    if (selected.events.length === 0) throw new UsageError(problem)
    printError(`${visible(problem)}\n`)
  }
  mustBeThere(wanted.session, selected)
  if (given.has('list')) return listSessions(given, selected, workspace)
  const file = given.value('hooks')
  const hooksFile = file === undefined ? undefined : resolve(workspace.cwd, file)
  const replace = replaceWith(hooksFile, workspace)
  if (selected.events.length === 0 && !given.has('json')) {
    print(nothing(selected, workspace))
    // A script must not read "no change" if the events could not be read.
    return selected.brokenLines > 0 ? EXIT.wrongCall : EXIT.same
  }
  const progress = openProgress()
  const played = await play(selected.events, {
    workspace,
    profile: given.has('profile') ? workspace.profile : undefined,
    replace,
    signal: interrupted(),
    onNext: index => progress.say(`event ${index + 1} of ${selected.events.length}`),
  }).finally(() => progress.end())
  const against = hooksFile === undefined ? 'the current hooks' : shortPath(hooksFile, workspace.screen)
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
  throw new UsageError(`The log has no matching event of a session "${session}". See: holdfast replay --list`)
}

function listSessions(given: Given, selected: Selected, workspace: Workspace): number {
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
    const seen = isEmpty ? 'No other event is left.' : 'No other event of this project matches.'
    return `\n  ${count(brokenLines, 'line')} of the log could not be read: ${shortPath(logFile, screen)}\n  ${seen}\n\n`
  }
  if (isEmpty) {
    return `\n  The log is empty: ${shortPath(logFile, screen)}\n  It contains the events for which a hook ran. Start with: holdfast fire beforeShellExecution --command "ls"\n\n`
  }
  const others = elsewhere > 0 ? ` ${elsewhere} in other projects; add --all to include them.` : ''
  return `\n  No matching event of this project is in the log.${others}\n\n`
}

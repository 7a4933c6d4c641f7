// holdfast audit: the trail of what people did on the team server, proven whole by whoever asks, with code of their own
// machine.

import type * as Team from '@holdfast/team'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { openProgress } from '../print/progress.js'
import { print, printJson, screen as screenOf } from '../print/terminal.js'
import { callerOf } from '../team/call.js'
import { deviceOf, openTeamDoor } from '../team/door.js'

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('audit', argv, { ...OUTPUT, server: 'value', home: 'value' })
  if (given.has('help')) return showHelp('audit')
  noMore('audit', given.positionals, 1)
  known('audit command', given.positionals[0] ?? 'verify', ['verify'])
  const team = await openTeamDoor()
  const call = await callerOf(given)
  const audit = call(team.AuditService)
  const { teamId } = await call(team.PeopleService).whoAmI({})
  const heads = await witnessed(given, teamId)
  const actions: Team.ChainedAction[] = []
  const progress = openProgress()
  for (let pageToken = ''; ; ) {
    const page = await audit.listAdminActions({ pageSize: 500, pageToken })
    actions.push(...page.actions)
    progress.say(`${actions.length} actions`)
    pageToken = page.nextPageToken
    if (pageToken === '') break
  }
  progress.end()
  const verdict = await team.verifyActions(actions.reverse(), heads)
  const { green, red } = screenOf(given.color, process.cwd())
  if (given.has('json')) printJson({ ...verdict, witnessed: heads.length })
  else {
    const isWhole = verdict.state === 'whole'
    print(`\n  ${isWhole ? green('whole') : red(verdict.state)}  ${verdict.message}\n`)
    if (isWhole && heads.length > 0) print(`  It agrees with what this machine saw of it before.\n`)
    print('\n')
  }
  return verdict.state === 'whole' ? 0 : 1
}

/** What this machine itself was shown of the trail, if it belongs to the team: a witness that the server cannot alter. */
async function witnessed(given: Given, teamId: string): Promise<Team.KnownHead[]> {
  const { device, around } = await deviceOf(given)
  const head = device.readStatus(around, teamId)?.head
  return head && head.seq > 0 ? [head] : []
}

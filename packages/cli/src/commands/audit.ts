// holdfast audit: verifies the audit log of a team server with code of this machine.

import type * as Team from '@holdfast/team'
import { type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { home, OUTPUT } from '../option-sections.js'
import { openProgress } from '../print/progress.js'
import { print, printJson, screen as screenOf } from '../print/terminal.js'
import { callerOf } from '../team/call.js'
import { deviceOf, openTeamDoor } from '../team/door.js'

export const command: Command = {
  name: 'audit',
  summary: 'Verify the audit log of a team',
  subcommands: [
    {
      name: 'verify',
      summary: 'Verify that no admin action was changed, removed or inserted',
      description:
        'Downloads all admin actions and verifies their hash chain on this machine. The result is compared with the entries that this machine saw before.',
      options: [
        {
          options: {
            server: value('URL', 'address of the team server', { defaultText: 'HOLDFAST_SERVER' }),
            home,
          },
        },
        OUTPUT,
      ],
      exitCodes: { 0: 'complete and unchanged', 1: 'changed, forked or incomplete; the output says where' },
      examples: ['HOLDFAST_TOKEN=hfp_… holdfast audit verify --server https://hooks.example.com'],
      run,
    },
  ],
  defaultSubcommand: 'verify',
  exitCodes: { 0: 'verified', 1: 'not verified' },
  examples: ['HOLDFAST_TOKEN=hfp_… holdfast audit verify --server https://hooks.example.com'],
}

async function run(given: Given): Promise<number> {
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
    if (isWhole && heads.length > 0) print(`  It matches the entries that this machine has seen before.\n`)
    print('\n')
  }
  return verdict.state === 'whole' ? 0 : 1
}

/** The state of the audit log that this machine received, if it belongs to the team. The server cannot alter it. */
async function witnessed(given: Given, teamId: string): Promise<Team.KnownHead[]> {
  const { device, around } = await deviceOf(given)
  const head = device.readStatus(around, teamId)?.head
  return head && head.seq > 0 ? [head] : []
}

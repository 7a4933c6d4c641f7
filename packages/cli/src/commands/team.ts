// holdfast team: shows, refreshes, follows or leaves the teams of this machine.

import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { forgetBackground, isRunning, startBackground } from '../team/background.js'
import { deviceOf } from '../team/door.js'
import { problemWords, statusText, syncText } from '../team/report.js'
import { watch } from '../team/watch.js'
import { UsageError } from '../usage-error.js'

const TEAM = { options: { team: value('ID', 'one of several teams'), home } }
const NO_BACKGROUND = flag('do not start the background refresh')
const exitCodes = { 0: 'no problems', 1: 'something was rejected or failed' }

export const command: Command = {
  name: 'team',
  summary: 'Show, refresh or leave the team of this machine',
  description: `Hooks of a team are accepted only if the team signed them, they are not older than the current ones, and the contents of every script match their signed hashes. A rejected release changes nothing: the last good one stays active.

login and sync start the background refresh. If it ends, for example at a restart of the machine, the next event of an agent starts it again, unless the machine joined with --no-background.`,
  subcommands: [
    {
      name: 'status',
      summary: 'Show the status of this machine in its team',
      options: [TEAM, OUTPUT],
      exitCodes,
      examples: ['holdfast team', 'holdfast team status --json'],
      run: given => run('status', given),
    },
    {
      name: 'sync',
      summary: 'Fetch the hooks of the team and send waiting records now',
      options: [{ options: { ...TEAM.options, 'no-background': NO_BACKGROUND } }, OUTPUT],
      exitCodes,
      examples: ['holdfast team sync', 'holdfast team sync --json'],
      run: given => run('sync', given),
    },
    {
      name: 'watch',
      summary: 'Sync at each change and every 30 minutes, until interrupted',
      options: [TEAM, OUTPUT],
      exitCodes: { 0: 'interrupted, or no team is left', 1: 'this machine is in no team' },
      examples: ['holdfast team watch'],
      run: given => run('watch', given),
    },
    {
      name: 'leave',
      summary: 'Leave the team and remove its hooks from this machine',
      options: [TEAM, OUTPUT],
      exitCodes: { 0: 'left', 1: 'not left' },
      examples: ['holdfast team leave'],
      run: given => run('leave', given),
    },
  ],
  defaultSubcommand: 'status',
  exitCodes,
  examples: ['holdfast team', 'holdfast team sync --json'],
}

type Subcommand = 'status' | 'sync' | 'watch' | 'leave'

async function run(word: Subcommand, given: Given): Promise<number> {
  const opened = await deviceOf(given)
  const { device, around, screen, home } = opened
  const isJson = given.has('json')
  const teams = device.enrolledTeams(home)
  const wanted = given.value('team')
  const chosen = wanted === undefined ? teams : teams.filter(id => id === wanted)
  if (teams.length === 0) await forgetBackground(home)
  if (chosen.length === 0) {
    if (isJson && word === 'status') return printed([])
    throw new UsageError(
      wanted === undefined
        ? 'This machine belongs to no team. Join one: holdfast login https://hooks.example.com'
        : `This machine does not belong to the team ${wanted}. It belongs to: ${teams.join(', ') || 'none'}.`,
    )
  }
  const nameOf = (id: string) => device.readStatus(around, id)?.enrolment.team_name ?? id

  if (word === 'status') {
    const all = chosen.flatMap(id => device.readStatus(around, id) ?? [])
    const background = await isRunning(home)
    if (isJson) return printed(all.map(status => ({ ...status, background })))
    for (const status of all) print(statusText(status, background, screen, around.platform))
    return all.some(({ problem }) => problem) ? 1 : 0
  }
  if (word === 'watch') return watch(opened, wanted)
  if (word === 'leave') {
    if (chosen.length > 1)
      throw new UsageError(
        `This machine belongs to ${count(chosen.length, 'team')}. Name the team to leave: --team ID`,
      )
    const name = nameOf(chosen[0]!)
    const { left, unsent, problem } = await device.leave(around, chosen[0]!)
    if (device.enrolledTeams(home).length === 0) await forgetBackground(home)
    if (isJson) return printed({ left, unsent, problem: problem ?? null }, left ? 0 : 1)
    if (!left) throw new UsageError(problem ? problemWords(problem) : 'The team could not be left.')
    print(`\n  This machine no longer belongs to ${visible(name)}; its hooks were removed.\n`)
    if (unsent > 0)
      print(`  ${count(unsent, 'record')} had not been sent and ${unsent === 1 ? 'was' : 'were'} deleted.\n`)
    if (problem)
      print(
        `  The server could not be notified: ${visible(problem.message)}\n  It lists this machine until an admin revokes it.\n`,
      )
    print('\n')
    return 0
  }

  const results = []
  for (const id of chosen) {
    const result = await device.sync(around, id)
    const sent = await device.sendRecords(around, id, { urgent: true })
    results.push({ ...result, sent })
    if (!isJson) print(`${results.length === 1 ? '\n' : ''}${syncText(result, nameOf(id), screen)}`)
    if (!isJson && sent.sent > 0) print(`  ${count(sent.sent, 'record')} sent\n`)
    if (!isJson && sent.problem) printError(`Records wait: ${visible(problemWords(sent.problem))}\n`)
  }
  if (!given.has('no-background')) await startBackground(home)
  if (isJson) return printed(results, results.some(({ problem }) => problem) ? 1 : 0)
  print('\n')
  return results.some(({ problem }) => problem) ? 1 : 0

  function printed(value: unknown, code = 0): number {
    printJson(value)
    return code
  }
}

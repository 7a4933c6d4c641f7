// holdfast team: what a machine has of its team, fetched now, shown, followed or given up.

import { Complaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { known, noMore, OUTPUT, parse } from '../options.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { forgetBackground, isRunning, startBackground } from '../team/background.js'
import { deviceOf } from '../team/door.js'
import { problemWords, statusText, syncText } from '../team/report.js'
import { watch } from '../team/watch.js'

const WORDS = ['status', 'sync', 'watch', 'leave'] as const
const OPTIONS = { ...OUTPUT, home: 'value', team: 'value', yes: 'flag', 'no-background': 'flag' } as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('team', argv, OPTIONS)
  if (given.has('help')) return showHelp('team')
  noMore('team', given.positionals, 1)
  const word = known('team command', given.positionals[0] ?? 'status', WORDS)
  const opened = await deviceOf(given)
  const { device, around, screen, home } = opened
  const isJson = given.has('json')
  const teams = device.enrolledTeams(home)
  const wanted = given.value('team')
  const chosen = wanted === undefined ? teams : teams.filter(id => id === wanted)
  if (teams.length === 0) await forgetBackground(home)
  if (chosen.length === 0) {
    if (isJson && word === 'status') return printed([])
    throw new Complaint(
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
      throw new Complaint(
        `This machine belongs to ${count(chosen.length, 'team')}. Say which to leave: --team ID`,
      )
    const name = nameOf(chosen[0]!)
    const { left, unsent, problem } = await device.leave(around, chosen[0]!)
    if (device.enrolledTeams(home).length === 0) await forgetBackground(home)
    if (isJson) return printed({ left, unsent, problem: problem ?? null }, left ? 0 : 1)
    if (!left) throw new Complaint(problem ? problemWords(problem) : 'The team could not be left.')
    print(`\n  This machine no longer belongs to ${visible(name)}; its hooks are gone.\n`)
    if (unsent > 0)
      print(`  ${count(unsent, 'record')} had not been sent and ${unsent === 1 ? 'is' : 'are'} gone.\n`)
    if (problem)
      print(
        `  The server could not be told: ${visible(problem.message)}\n  It lists this machine until an admin revokes it.\n`,
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

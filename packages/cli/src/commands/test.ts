// holdfast test: the cases beside the hooks, run through the real engine.

import { Complaint, isComplaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { showHelp } from '../load.js'
import { type Given, known, OUTPUT, parse } from '../options.js'
import { screen } from '../print/terminal.js'
import { profilesOf } from '../profiles/names.js'
import { LEVELS } from '../test/cases.js'
import { EXIT, type RoundOptions, runRound } from '../test/round.js'
import { watchRounds } from '../test/watch.js'
import { currentFolder, homeOf, nearestRoot } from '../workspace.js'

const OPTIONS = {
  home: 'value',
  profile: 'value',
  level: 'value',
  filter: 'value',
  bail: 'flag',
  watch: 'flag',
  junit: 'value',
  ...OUTPUT,
} as const

export async function run(argv: readonly string[]): Promise<number> {
  try {
    const given = parse('test', argv, OPTIONS)
    if (given.has('help')) return await showHelp('test')
    const options = optionsOf(given)
    return await (given.has('watch') ? watchRounds(options) : runRound(options))
  } catch (error) {
    // 1 says that a case failed; a wrong call is something else to a build server.
    if (isComplaint(error)) process.exitCode = EXIT.wrong
    throw error
  }
}

function optionsOf(given: Given): RoundOptions {
  const cwd = currentFolder()
  const home = homeOf(given, cwd)
  const level = given.value('level')
  const profiles = given.value('profile')
  if (given.has('watch') && given.has('json'))
    throw new Complaint('--watch has no end, and --json is one object at the end. Use one of them.')
  return {
    cwd,
    home,
    named: given.positionals,
    root: nearestRoot(cwd, home),
    screen: screen(given.color, cwd),
    profiles: profiles === undefined ? undefined : profilesOf(profiles),
    level: level === undefined ? undefined : known('level', level, LEVELS),
    filter: given.value('filter'),
    bail: given.has('bail'),
    junit: given.value('junit'),
    json: given.has('json'),
    // Who watches ends that way; nothing went wrong.
    signal: interrupted({ isUsual: given.has('watch') }),
  }
}

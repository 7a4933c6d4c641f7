// holdfast test: runs the cases beside the hooks through the real engine.

import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { interrupted } from '../interrupt.js'
import { OUTPUT } from '../option-sections.js'
import { screen } from '../print/terminal.js'
import { profilesOf } from '../profiles/names.js'
import { LEVELS, type TestLevel } from '../test/cases.js'
import { EXIT, type RoundOptions, runRound } from '../test/round.js'
import { watchRounds } from '../test/watch.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, homeOf, nearestRoot } from '../workspace.js'

export const command: Command = {
  name: 'test',
  summary: 'Run the tests of hooks',
  description:
    'Test files end with .hooks-test.yaml, .hooks-test.yml or .hooks-test.json. Each case gets a fresh copy of .cursor, and a home folder and state of its own; your files are not changed.',
  arguments: [
    {
      name: 'path',
      summary: 'test file, or folder with test files (default: all of this project)',
      isOptional: true,
      isRepeatable: true,
    },
  ],
  options: [
    {
      options: {
        filter: value('TEXT', 'only cases whose names contain this text'),
        profile: value(
          'NAMES',
          'run in this version, whatever the case asks for; all, or several separated by commas, show a row per version',
        ),
        level: value(
          'LEVEL',
          `install the hooks at this level, whatever the file asks for: ${LEVELS.join(', ')}`,
          {
            values: LEVELS,
          },
        ),
        bail: flag('stop after the first case that fails'),
        watch: flag('run again when a test file or a hook changes'),
        junit: value('FILE', 'also write the results as JUnit XML'),
        home: value('DIR', 'home folder, if its hooks.json is tested', { defaultText: 'yours' }),
      },
    },
    OUTPUT,
  ],
  sections: [
    {
      title: 'A test file',
      code: `cases:
  - name: denies a force push
    event: beforeShellExecution
    payload: { command: git push --force origin main }
    expect: { verdict: deny, user message: /force/i }`,
    },
  ],
  exitCodes: {
    0: 'all cases passed',
    1: 'some cases failed',
    2: 'a test file or the call is wrong, or no case ran',
  },
  examples: [
    'holdfast test',
    'holdfast test .cursor/hooks --filter push --watch',
    'holdfast test --profile all',
    'holdfast test --junit results.xml',
  ],
  usageErrorCode: EXIT.wrong,
  run,
}

async function run(given: Given): Promise<number> {
  const options = optionsOf(given)
  return given.has('watch') ? watchRounds(options) : runRound(options)
}

function optionsOf(given: Given): RoundOptions {
  const cwd = currentFolder()
  const home = homeOf(given, cwd)
  const level = given.value('level')
  const profiles = given.value('profile')
  if (given.has('watch') && given.has('json'))
    throw new UsageError('--watch does not end, and --json prints one object at the end. Use one of them.')
  return {
    cwd,
    home,
    named: given.positionals,
    root: nearestRoot(cwd, home),
    screen: screen(given.color, cwd),
    profiles: profiles === undefined ? undefined : profilesOf(profiles),
    level: level as TestLevel | undefined,
    filter: given.value('filter'),
    bail: given.has('bail'),
    junit: given.value('junit'),
    json: given.has('json'),
    // Ctrl-C is the usual end of --watch, not an error.
    signal: interrupted({ isUsual: given.has('watch') }),
  }
}

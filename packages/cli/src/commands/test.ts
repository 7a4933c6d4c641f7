// holdfast test: the cases beside the hooks, run through the real engine.

import { PROFILE_NAMES } from '@holdfast/hooks/protocol'
import { Complaint, isComplaint } from '../complaint.js'
import { showHelp } from '../load.js'
import { known, OUTPUT, parse } from '../options.js'
import { print, printError, printJson, screen } from '../print/terminal.js'
import { fileHead, resultLines, totalsLine } from '../print/test-report.js'
import { LEVELS, type TestFile } from '../test/cases.js'
import { findTestFiles, loadTestFile } from '../test/find.js'
import { type FileResult, runSuite } from '../test/suite.js'
import { currentFolder, homeOf, nearestRoot } from '../workspace.js'

const EXIT = { passed: 0, failed: 1, wrong: 2 } as const

const OPTIONS = {
  root: 'value',
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
    return await test(argv)
  } catch (error) {
    // 1 says that a case failed; a wrong call is something else to a build server.
    if (isComplaint(error)) process.exitCode = EXIT.wrong
    throw error
  }
}

async function test(argv: readonly string[]): Promise<number> {
  const given = parse('test', argv, OPTIONS)
  if (given.has('help')) return showHelp('test')
  const cwd = currentFolder()
  const home = homeOf(given, cwd)
  const on = screen(given.color, cwd)
  const profile = given.value('profile')
  const level = given.value('level')
  const profiles =
    profile === undefined
      ? undefined
      : profile === 'all'
        ? PROFILE_NAMES
        : [known('profile', profile, PROFILE_NAMES)]
  const files = findTestFiles(given.positionals, cwd, nearestRoot(cwd, home))
  if (files.length === 0) throw new Complaint('No test files.')
  const loaded: TestFile[] = files.map(file => loadTestFile(file, home))
  const stop = new AbortController()
  const results = await runSuite(
    loaded,
    {
      profiles,
      level: level === undefined ? undefined : known('level', level, LEVELS),
      home,
      bail: given.has('bail'),
      signal: stop.signal,
    },
    {
      begin: file => print(fileHead(file, on)),
      ended: (file, result) => print(resultLines(file, result, on)),
      counted: () => {},
    },
  )
  print(totalsLine(results, on))
  return exitCode(results)
}

function exitCode(results: readonly FileResult[]): number {
  if (results.some(({ problems }) => problems.length > 0)) return EXIT.wrong
  const failed = results.some(({ cases }) => cases.some(({ outcome }) => outcome === 'failed'))
  return failed ? EXIT.failed : EXIT.passed
}

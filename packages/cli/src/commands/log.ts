// holdfast log: the last runs, from the file that fire writes.

import { basename, resolve } from 'node:path'
import type { RunRecord } from '@holdfast/hooks'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { flag, type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { recordWord, toldBy } from '../history.js'
import { readRecords } from '../log/records.js'
import { openTail } from '../log/tail.js'
import { OUTPUT } from '../option-sections.js'
import { shortPath } from '../print/place.js'
import { DURATION, type Row, renderRows } from '../print/rows.js'
import { isNarrow, jsonLine, print, printError, type Screen, screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { duration, shortCommand, wouldWords } from '../print/words.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, homeOf, logFileOf, nearestRoot } from '../workspace.js'

type Test = (record: RunRecord) => boolean

const OUTCOMES = ['answered', 'silent', 'failed', 'failed-open', 'allow', 'ask', 'deny', 'observes']

export const command: Command = {
  name: 'log',
  summary: 'Show the last runs of hooks',
  options: [
    {
      options: {
        limit: value('N', 'number of runs', { default: '20' }),
        event: value('NAME', 'only this event', { values: EVENT_NAMES }),
        outcome: value('OUTCOME', `only this outcome: ${OUTCOMES.join(', ')}`, { values: OUTCOMES }),
        hook: value('TEXT', 'only hooks whose command contains this text'),
        project: value('PROJECT', 'only this project: a path, such as ., or the name of its folder'),
        follow: flag('keep showing new runs until interrupted'),
        home: value('DIR', 'home folder, whose .holdfast folder holds the log', { defaultText: 'yours' }),
      },
    },
    {
      ...OUTPUT,
      options: {
        ...OUTPUT.options,
        json: flag('print the records as stored, one per line, with the path of the project'),
      },
    },
  ],
  exitCodes: { 0: 'shown', 1: 'the log cannot be read, or the call is wrong' },
  examples: [
    'holdfast log',
    'holdfast log --project . --outcome failed-open',
    'holdfast log --event beforeShellExecution --limit 100 --json',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const cwd = currentFolder()
  const home = homeOf(given, cwd)
  const file = logFileOf(home)
  const test = testOf(given, folder => nearestRoot(resolve(cwd, folder), home))
  const limit = limitOf(given)
  const out = screen(given.color, cwd)
  const show = (records: readonly RunRecord[]) =>
    print(
      given.has('json')
        ? records.map(record => jsonLine({ ...record, project: projectOf(record) })).join('')
        : `${renderRows(records.map(rowOf(out)), isNarrow(out) ? NARROW : hasSource(out) ? WITH_SOURCE : WIDE, out.columns).join('\n')}\n`,
    )

  const { records, problem } = readRecords(file, { limit: test.filters ? Number.MAX_SAFE_INTEGER : limit })
  if (problem) printError(`The log could not be read: ${visible(problem)}\n`)
  const found = records.filter(test.passes).slice(-limit)
  if (found.length > 0) show(found)
  else if (!given.has('json') && !given.has('follow')) print(emptyWords(records.length, shortPath(file, out)))
  if (!given.has('follow')) return problem ? 1 : 0
  await follow(file, fresh => {
    const wanted = fresh.filter(test.passes)
    return wanted.length === 0 || show(wanted)
  })
  return 0
}

const emptyWords = (others: number, file: string) =>
  others > 0
    ? '\n  No run in the log matches.\n\n'
    : `\n  The log is empty: ${file}\n  Every run of holdfast fire adds a line. Start with: holdfast fire beforeShellExecution --command "ls"\n\n`

function limitOf(given: Given): number {
  const text = given.value('limit')!
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(`--limit is "${text}"; expected a whole number above 0.`)
  }
  return Number(text)
}

/** The first folder of the workspace in which the event happened. */
const projectOf = ({ request }: RunRecord): string | null => rootsOf(request)[0] ?? null

const rootsOf = ({ workspace_roots }: RunRecord['request']): string[] =>
  Array.isArray(workspace_roots) ? workspace_roots.filter(root => typeof root === 'string') : []

/** A path names the project that contains it, another word the folder of a project. */
function isProject(word: string, rootAt: (folder: string) => string): Test {
  const isPath = /[/\\]|^\.{1,2}$/.test(word)
  const root = isPath ? rootAt(word) : undefined
  return ({ request }) => rootsOf(request).some(one => (isPath ? one === root : basename(one) === word))
}

function testOf(given: Given, rootAt: (folder: string) => string): { filters: boolean; passes: Test } {
  const tests: Test[] = []
  const event = given.value('event')
  const outcome = given.value('outcome')
  const hook = given.value('hook')
  if (event !== undefined) {
    tests.push(record => record.event === event)
  }
  if (outcome !== undefined) {
    tests.push(record => record.outcome === outcome || recordWord(record).replace(' ', '-') === outcome)
  }
  if (hook !== undefined) tests.push(record => record.hook.includes(hook))
  const project = given.value('project')
  if (project === '') throw new UsageError('--project is empty. Give it a folder, or the name of one.')
  if (project !== undefined) tests.push(isProject(project, rootAt))
  return { filters: tests.length > 0, passes: record => tests.every(test => test(record)) }
}

const WITH_SOURCE = [{}, { share: 0.16 }, {}, {}, { share: 0.26 }, {}, DURATION]
const WIDE = WITH_SOURCE.toSpliced(3, 1)
const NARROW = [{}, { share: 0.36 }, {}, DURATION]

const hasSource = ({ columns }: Screen): boolean => columns >= 120

function rowOf(out: Screen): (record: RunRecord) => Row {
  const styles: Readonly<Record<string, (text: string) => string>> = {
    deny: out.red,
    ask: out.amber,
    allow: out.green,
    failed: out.amber,
    'failed open': out.amber,
  }
  return record => {
    const word = recordWord(record)
    const narrow = isNarrow(out)
    const [event, source] = [visible(record.event), visible(record.source)]
    const project = visible(basename(projectOf(record) ?? '') || '–')
    return {
      cells: [
        { text: timeWords(record.time), style: out.dim },
        ...(narrow ? [] : [{ text: project }, { text: event }]),
        ...(hasSource(out) ? [{ text: source }] : []),
        { text: shortCommand(record.hook) },
        { text: word, style: styles[word] ?? out.dim },
        { text: duration(record.duration_ms), style: out.dim },
      ],
      text: { text: messageOf(record), style: out.dim, brief: true },
      below: narrow ? [{ text: `${project} · ${event} · ${source}`, style: out.dim }] : [],
    }
  }
}

function messageOf(record: RunRecord): string {
  const told = toldBy(record)
  if (record.mode !== 'observe') return told
  const { would = 'abstain', outcome, response } = record
  return wouldWords({ decision: would, outcome, fields: Object.keys(response ?? {}), told })
}

/** Local time; the day only when it is not today. */
function timeWords(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return visible(time)
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  return date.toDateString() === new Date().toDateString() ? clock : `${day} ${clock}`
}

const LOOK_MS = 200

/** Prints new records as they are written, until an interrupt or until the reader of stdout closes. */
function follow(file: string, tell: (fresh: readonly RunRecord[]) => boolean): Promise<void> {
  const tail = openTail(file, 0)
  tail.read(() => {})
  return new Promise(resolve => {
    const look = setInterval(() => {
      const fresh: RunRecord[] = []
      tail.read(record => fresh.push(record))
      if (fresh.length > 0 && !tell(fresh)) stop()
    }, LOOK_MS)
    const stop = () => {
      clearInterval(look)
      resolve()
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}

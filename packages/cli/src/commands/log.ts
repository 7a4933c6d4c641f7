// holdfast log: the last runs, from the file that fire writes.

import { basename, resolve } from 'node:path'
import { type RunRecord, readRecords } from '@holdfast/hooks'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { Complaint } from '../complaint.js'
import { recordWord, toldBy } from '../history.js'
import { showHelp } from '../load.js'
import { type Given, known, noMore, OUTPUT, parse } from '../options.js'
import { shortPath } from '../print/place.js'
import { DURATION, type Row, renderRows } from '../print/rows.js'
import { isNarrow, jsonLine, print, printError, type Screen, screen } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { duration, shortCommand, wouldWords } from '../print/words.js'
import { currentFolder, homeOf, logFileOf, nearestRoot } from '../workspace.js'

const OUTCOMES = ['answered', 'silent', 'failed', 'failed-open', 'allow', 'ask', 'deny', 'observes']
const OPTIONS = {
  home: 'value',
  limit: 'value',
  event: 'value',
  outcome: 'value',
  hook: 'value',
  project: 'value',
  follow: 'flag',
  ...OUTPUT,
} as const

type Test = (record: RunRecord) => boolean

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('log', argv, OPTIONS)
  if (given.has('help')) return showHelp('log')
  noMore('log', given.positionals, 0)
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
  const { follow } = await import('../follow.js')
  await follow(file, fresh => {
    const wanted = fresh.filter(test.passes)
    return wanted.length === 0 || show(wanted)
  })
  return 0
}

const emptyWords = (others: number, file: string) =>
  others > 0
    ? '\n  No run in the log is like that.\n\n'
    : `\n  The log is empty: ${file}\n  Every run of holdfast fire adds a line. Begin with: holdfast fire beforeShellExecution --command "ls"\n\n`

function limitOf(given: Given): number {
  const text = given.value('limit') ?? '20'
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new Complaint(`--limit is "${text}"; expected a whole number above 0.`)
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
    const name = known('event', event, EVENT_NAMES)
    tests.push(record => record.event === name)
  }
  if (outcome !== undefined) {
    const word = known('outcome', outcome, OUTCOMES)
    tests.push(record => record.outcome === word || recordWord(record).replace(' ', '-') === word)
  }
  if (hook !== undefined) tests.push(record => record.hook.includes(hook))
  const project = given.value('project')
  if (project === '') throw new Complaint('--project is empty. Give it a folder, or the name of one.')
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

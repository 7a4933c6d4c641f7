// A verdict as text: the event, the response of each hook, the decision, and its effect.

import {
  type EventSpec,
  eventsUnder,
  findEvent,
  findProfile,
  type Issue,
  type Run,
  type Skipped,
  type Verdict,
} from '@holdfast/hooks/protocol'
import { place } from './place.js'
import { type Cell, DURATION, type Row, renderRows } from './rows.js'
import type { Screen } from './terminal.js'
import { oneLine, shorten, visible } from './text.js'
import { outcomeLines, verdictLine } from './verdict.js'
import {
  aboutWords,
  count,
  duration,
  failureWords,
  type Said,
  saidBy,
  shortHook,
  skipWords,
  wouldBe,
  wouldWords,
} from './words.js'

export interface FireReport {
  readonly verdict: Verdict
  readonly fields: Readonly<Record<string, unknown>>
  readonly issues: readonly Issue[]
}

export function fireReport(report: FireReport, screen: Screen): string {
  const { verdict } = report
  const spec = eventsUnder(findProfile(verdict.profile)!).get(verdict.event) ?? findEvent(verdict.event)!
  const blocks = [
    [`  ${headline(verdict.event, report.fields, screen)}`],
    hookLines(verdict, spec, screen),
    issueLines(report.issues, verdict, screen),
    [verdictLine(verdict, spec.gate !== 'none', screen), ...outcomeLines(verdict, screen)],
  ]
  const text = blocks
    .filter(block => block.length > 0)
    .map(block => block.join('\n'))
    .join('\n\n')
  return `\n${text}\n\n`
}

export function headline(event: string, fields: Readonly<Record<string, unknown>>, screen: Screen): string {
  const about = aboutWords(fields)
  if (about === undefined) return screen.bold(event)
  const room = Math.max(20, screen.columns - event.length - 5)
  return `${screen.bold(event)}   ${shorten(visible(about), room)}`
}

/** More are a separate list. */
const MOST_SKIPPED = 8

const COLUMNS = [{}, { share: 0.28 }, {}, DURATION]

function hookLines(verdict: Verdict, spec: EventSpec, screen: Screen): string[] {
  const { skipped } = verdict
  const shown = skipped.length > MOST_SKIPPED ? skipped.slice(0, MOST_SKIPPED - 1) : skipped
  const more = skipped.length - shown.length
  const rows = [
    ...verdict.runs.map(run => runRow(run, verdict, saidBy(run, verdict, spec), screen)),
    ...shown.map(one => skippedRow(one, spec, verdict, screen)),
  ]
  return [
    ...renderRows(rows, COLUMNS, screen.columns),
    ...(more > 0 ? [screen.dim(`  and ${more} more; all of them: holdfast explain ${verdict.event} …`)] : []),
  ]
}

const runRow = (run: Run, verdict: Verdict, said: Said, screen: Screen): Row => ({
  cells: [
    { text: run.hook.source },
    { text: shortHook(run.hook) },
    { text: said, style: styleOf(said, screen) },
    { text: duration(run.exit.durationMs), style: screen.dim },
  ],
  text: {
    text: messageOf(run, verdict),
    brief: run.outcome.kind === 'answered' && verdict.deciders.includes(run),
  },
  below: remarks(run, said, screen),
})

function skippedRow(
  { hook, reason }: Skipped,
  spec: EventSpec,
  { profile }: Verdict,
  { dim, amber }: Screen,
): Row {
  return {
    cells: [
      { text: hook.source, style: dim },
      { text: shortHook(hook), style: dim },
      { text: 'skipped', style: reason === 'untrusted' ? amber : dim },
      { text: '' },
    ],
    text: { text: skipWords(reason, hook.matcher, spec, findProfile(profile)!), style: dim },
  }
}

const styleOf = (said: Said, { red, amber, green, dim }: Screen): ((text: string) => string) =>
  ({
    deny: red,
    'failed closed': red,
    ask: amber,
    'failed open': amber,
    failed: amber,
    allow: green,
    answered: (text: string) => text,
    'no decision': dim,
    silent: dim,
    observes: dim,
  })[said]

function messageOf(run: Run, verdict: Verdict): string {
  if (run.hook.mode === 'observe') {
    const { outcome } = run
    const fields = outcome.kind === 'answered' ? Object.keys(outcome.answer) : []
    return wouldWords({ decision: wouldBe(run, verdict), outcome: outcome.kind, fields, told: toldBy(run) })
  }
  return toldBy(run)
}

function toldBy(run: Run): string {
  if (run.outcome.kind === 'failed') return failureWords(run)
  if (run.outcome.kind === 'silent') return ''
  const { user_message, agent_message } = run.outcome.answer
  const said = oneLine(user_message ?? agent_message ?? '')
  return said === '' ? '' : `"${shorten(said, 160)}"`
}

const MEANING: Partial<Record<Said, string>> = {
  'failed open': 'every action proceeds while this hook fails',
  'failed closed': 'every action that it judges is blocked while this hook fails',
}

function remarks(run: Run, said: Said, screen: Screen): Cell[] {
  const { dim } = screen
  const where = place(run.hook.file, run.hook.line, screen)
  const meaning = MEANING[said]
  return [
    ...(run.outcome.kind === 'failed'
      ? [{ text: meaning ? `${where}   ${meaning}` : where, style: dim }]
      : []),
    ...run.notes.map(({ message }) => ({ text: oneLine(message), style: dim })),
  ]
}

/** Issues that concern this event; holdfast check lists the others. */
function issueLines(issues: readonly Issue[], verdict: Verdict, screen: Screen): string[] {
  const { own, others } = graveIssues(issues, verdict)
  const rows = own.map(
    ({ severity, file, line, message, hint }): Row => ({
      cells: [
        { text: severity, style: severity === 'error' ? screen.red : screen.amber },
        { text: place(file, line, screen) },
      ],
      text: { text: `${oneLine(message)} ${oneLine(hint)}` },
    }),
  )
  return [
    ...renderRows(rows, [{}, { share: 0.4 }], screen.columns),
    ...(others > 0 ? [screen.dim(`  ${count(others, 'error')} elsewhere; see: holdfast check`)] : []),
  ]
}

/** Issues that concern the event, and the number of others. */
export function graveIssues(
  issues: readonly Issue[],
  { event, skipped }: Verdict,
): { own: Issue[]; others: number } {
  const isUntrusted = skipped.some(({ reason }) => reason === 'untrusted')
  const grave = issues.filter(
    ({ severity, code }) => severity === 'error' || (code === 'trust/untrusted' && isUntrusted),
  )
  const own = grave.filter(issue => issue.code === 'trust/untrusted' || isAbout(event, issue))
  return { own, others: grave.length - own.length }
}

/** About an entry of this event, or about a file as a whole. */
const isAbout = (event: string, { path }: Issue): boolean => {
  const named = /^hooks\.(\w+)/.exec(path)?.[1]
  return named === undefined || named === event || findEvent(named) === undefined
}

// The findings as text: one row for each hook, then a summary.

import type { Issue } from '@holdfast/hooks/protocol'
import { mistakeIn } from '../catalog.js'
import { place } from '../print/place.js'
import { type Cell, indented, type Row, renderRows } from '../print/rows.js'
import { isNarrow, type Screen } from '../print/terminal.js'
import { oneLine } from '../print/text.js'
import { count, shortHook } from '../print/words.js'
import type { Connected } from './agents.js'
import { type Examined, isUntrusted } from './examine.js'
import { type Findings, isTrouble, opens } from './findings.js'
import { fixFor } from './fixes.js'
import { crashWords, matchWords, outcomeWords, remarks } from './words.js'

const MARKS = { well: '✓', unmatched: '?', failed: '!', 'cannot-run': '✗', 'not-run': '–' } as const

export function report(findings: Findings, screen: Screen): string {
  const { examined } = findings
  const narrow = isNarrow(screen)
  const rows = examined.map(one => row(one, narrow, screen))
  const columns = narrow ? [{}, { share: 0.5 }] : [{}, { share: 0.26 }, {}]
  const blocks = [
    ...(rows.length > 0 ? [renderRows(rows, columns, screen.columns)] : []),
    issueLines(findings.missing, screen),
    agentLines(findings.agents, screen),
    daemonLines(findings, screen),
    closing(findings, screen),
  ]
  const text = blocks.filter(block => block.length > 0).map(block => block.join('\n'))
  return `\n${text.join('\n\n')}\n\n`
}

function row(one: Examined, narrow: boolean, screen: Screen): Row {
  const { hook, state } = one
  const { dim, amber } = screen
  const color = colorOf(one, screen)
  // Only the mark has a colour.
  const first = {
    text: `${MARKS[state]} ${hook.source}`,
    style: (text: string) => color(text.slice(0, 1)) + text.slice(1),
  }
  const words = { text: outcomeWords(one) }
  const fix = fixFor(one)
  const isRunHere = state !== 'not-run' || isUntrusted(one)
  const isWell = state === 'well' || state === 'unmatched' || state === 'not-run'
  const quiet = isRunHere ? [matchWords(one), isWell ? crashWords(one) : undefined] : []
  const where = isTrouble(one) ? place(hook.file, hook.line, screen) : undefined
  const fields = [where, ...quiet].filter(text => text !== undefined)
  const below: Cell[] = [
    ...(fix === undefined ? [] : [{ text: fix }]),
    ...remarks(one).map(text => ({ text, style: amber })),
    ...(fields.length > 0 ? [{ text: fields.join(' · '), style: dim }] : []),
  ]
  const cells = [first, { text: shortHook(hook) }]
  return narrow
    ? { cells, below: [{ text: hook.event }, words, ...below] }
    : { cells: [...cells, { text: hook.event }], text: words, below }
}

const colorOf = (one: Examined, { green, amber, red, dim }: Screen) =>
  ({
    well: green,
    unmatched: amber,
    failed: amber,
    'cannot-run': red,
    'not-run': isUntrusted(one) ? amber : dim,
  })[one.state]

const daemonLines = ({ daemon }: Findings, { green, amber }: Screen): string[] => {
  if (!daemon) return []
  const mark = daemon.state === 'running' ? green('✓') : amber('!')
  return [`  ${mark} daemon  ${oneLine(daemon.message)}`]
}

const issueLines = (issues: readonly Issue[], screen: Screen): string[] =>
  renderRows(
    issues.map(({ file, line, message, hint }) => ({
      cells: [{ text: 'error', style: screen.red }, { text: place(file, line, screen) }],
      text: { text: `${oneLine(message)} ${oneLine(hint)}` },
    })),
    [{}, { share: 0.4 }],
    screen.columns,
  )

const AGENT_MARKS = { well: '✓', trouble: '!', unknown: '–' } as const

function agentLines(agents: readonly Connected[], screen: Screen): string[] {
  const { green, amber, dim } = screen
  const colors = { well: green, trouble: amber, unknown: dim }
  const rows = agents.map(
    ({ bridge, file, state, message, fix, notes }): Row => ({
      cells: [
        {
          text: `${AGENT_MARKS[state]} ${bridge.title}`,
          style: text => colors[state](text.slice(0, 1)) + text.slice(1),
        },
        { text: place(file, null, screen) },
      ],
      text: { text: message },
      below: [...(fix === null ? [] : [{ text: fix }]), ...notes.map(note => ({ text: note, style: dim }))],
    }),
  )
  if (rows.length === 0) return []
  return ['  Agents that call these hooks', ...renderRows(rows, [{}, { share: 0.35 }], screen.columns)]
}

function closing(findings: Findings, screen: Screen): string[] {
  const { examined, errors, failed, ran } = findings
  const { amber, red, green, bold } = screen
  const number = (test: (one: Examined) => boolean) => examined.filter(test).length
  const untrusted = number(isUntrusted)
  const parts = [
    [number(({ state }) => state === 'well'), ran ? 'ok' : 'ready', green],
    [number(({ state }) => state === 'unmatched'), 'not matched', amber],
    [number(({ state }) => state === 'failed'), 'failed', amber],
    [number(({ state }) => state === 'cannot-run'), 'cannot run', red],
    [untrusted, 'not trusted', amber],
    [number(one => one.state === 'not-run' && !isUntrusted(one)), 'not run', String],
  ] as const
  const counts = parts.filter(([many]) => many > 0).map(([many, word, style]) => style(`${many} ${word}`))
  return [
    examined.length === 0
      ? `  ${bold('No hook could be read.')}`
      : `  ${bold(count(examined.length, 'hook'))}: ${counts.join(', ')}`,
    ...openLines(examined.filter(opens), screen),
    ...(untrusted > 0 ? ['  Review untrusted hooks with: holdfast trust'] : []),
    ...failed.map(layer => `  ${red('not loaded')}: ${mistakeIn(layer, screen)}`),
    ...(errors > 0 ? [`  ${red(count(errors, 'error'))} in the configuration; see: holdfast check`] : []),
  ]
}

/** The hooks whose crash lets the action proceed. */
function openLines(open: readonly Examined[], screen: Screen): string[] {
  const [first] = open
  if (!first) return []
  const narrow = isNarrow(screen)
  const rows = open.map(({ hook, policy }) => ({
    cells: [{ text: '' }, { text: shortHook(hook) }, { text: place(hook.file, hook.line, screen) }],
    ...(narrow ? {} : { text: { text: policy.why, style: screen.dim } }),
  }))
  const counts = open.length === 1 ? '1 fails open' : `${open.length} fail open`
  const which = open.length === 1 ? 'this hook' : 'these hooks'
  const { failure, config } = first.profile
  const canBeClosed = failure.crash !== 'open' && config.keys.includes('failClosed')
  const advice = canBeClosed ? ' "failClosed": true blocks it.' : ''
  const text = `${counts}: a crash of ${which} lets the action proceed.${advice}`
  return [
    ...indented({ text }, 2, screen.columns).map(line => line.replace(counts, screen.amber(counts))),
    ...renderRows(rows, [{}, { share: 0.3 }, { share: 0.4 }], screen.columns),
  ]
}

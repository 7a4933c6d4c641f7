// The end of a report: the decision, the hook that made it, and its effect.

import { isAsking, isBlocked, type Run, type Verdict } from '@holdfast/hooks/protocol'
import { place } from './place.js'
import { indented } from './rows.js'
import type { Screen } from './terminal.js'
import { lines, pad, width, wrap } from './text.js'
import { count, duration } from './words.js'

export function verdictLine(verdict: Verdict, isGate: boolean, screen: Screen): string {
  const { runs, skipped, deciders } = verdict
  const took = duration(verdict.durationMs)
  const by = deciders.length > 0 ? ` by ${decidersOf(deciders, screen)}` : ''
  const { bold } = screen
  if (isBlocked(verdict)) {
    const why = deciders.length === 0 ? ', because a required source is incomplete' : by
    return `  ${bold(screen.red('DENIED'))} in ${took}${why}`
  }
  if (isAsking(verdict)) return `  ${bold(screen.amber('ASKS'))} in ${took}${by}`
  if (verdict.permission === 'allow' || verdict.continue) {
    return `  ${bold(screen.green('ALLOWED'))} in ${took}${by}`
  }
  if (runs.length === 0) {
    if (skipped.length > 0) return `  ${bold('may proceed')}, no hook ran`
    return `  ${bold('no hooks for this event')}`
  }
  const heard = runs.filter(({ hook }) => hook.mode === 'enforce')
  const failed = heard.filter(({ outcome }) => outcome.kind === 'failed').length
  if (!isGate) {
    const and = failed > 0 ? `, ${screen.amber(`${failed} failed`)}` : ''
    return `  ${bold('done')} in ${took}, ${count(runs.length, 'hook')} ran${and}`
  }
  if (heard.length === 0) {
    return `  ${bold('may proceed')} after ${took}, ${count(runs.length, 'hook')} in audit mode`
  }
  const but =
    failed > 0
      ? `, and ${screen.amber(`${count(failed, 'hook')} failed open`)}`
      : `, no ${heard.length < runs.length ? 'other ' : ''}hook decided`
  return `  ${bold('may proceed')} after ${took}${but}`
}

function decidersOf(deciders: readonly Run[], screen: Screen): string {
  const named = deciders
    .slice(0, 2)
    .map(({ hook }) => `${hook.source} · ${place(hook.file, hook.line, screen)}`)
  const more = deciders.length - named.length
  return `${named.join(' and ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Messages, rewrites and context of the verdict. */
export function outcomeLines(verdict: Verdict, screen: Screen): string[] {
  const entries: [string, string | null][] = [
    ['to the user', verdict.userMessage],
    ['to the agent', verdict.agentMessage],
    ['rewrites', verdict.updatedInput && JSON.stringify(verdict.updatedInput)],
    ['rewrites', verdict.updatedPrompt],
    ['rewrites', verdict.updatedMcpToolOutput && JSON.stringify(verdict.updatedMcpToolOutput)],
    ['context', verdict.additionalContext],
    ['follow-up', verdict.followupMessage],
    ['variables', verdict.env && assignments(verdict.env)],
    ['plugins', verdict.pluginPaths?.join('\n') ?? null],
  ]
  const given = entries.filter((entry): entry is [string, string] => entry[1] !== null)
  const label = Math.max(0, ...given.map(([name]) => width(name)))
  return given.flatMap(([name, text]) => {
    const start = 2 + label + 3
    const room = Math.max(20, screen.columns - start)
    const [first = '', ...rest] = lines(text).flatMap(line => wrap(line, room))
    return [
      `  ${screen.dim(pad(name, label))}   ${first}`,
      ...rest.flatMap(line => indented({ text: line }, start, screen.columns + start)),
    ].map(line => line.trimEnd())
  })
}

const assignments = (env: Readonly<Record<string, string>>) =>
  Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

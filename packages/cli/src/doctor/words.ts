// What is said about one hook: the outcome in one sentence, then what else is worth knowing.

import { CODES, type Run } from '@holdfast/hooks/protocol'
import { oneLine, shorten, visible } from '../print/text.js'
import { count, duration, failureWords, ownWord, pattern, saidBy, tellingLine } from '../print/words.js'
import type { Examined, Fired } from './examine.js'
import { certainProblem, missed, problemWords } from './fixes.js'

/** Longer than this, and the person who waits for the agent feels it. */
const SLOW_MS = 1000

export function outcomeWords(one: Examined): string {
  const { state, why, issues, programs, fired } = one
  if (state === 'not-run') return why ?? 'not run'
  const problem = certainProblem(programs)
  const issue = issues[0] && oneLine(issues[0].message).replace(/\.$/, '')
  const lack = issue ?? (problem && visible(problemWords(problem)))
  if (!fired) return lack ?? 'all that it needs is there; not run'
  const run = fired.run
  if (!run) return `no answer within ${fired.limitMs / 1000} s; ${effectWords(one, fired)}`
  if (run.outcome.kind === 'failed') {
    const what = state === 'cannot-run' && lack !== undefined ? lack : failureWords(run)
    return `${shorten(what, 240)}; ${effectWords(one, fired)}`
  }
  const sought = missed(programs, run)
  const trouble = issue ?? (sought && visible(problemWords(sought)))
  const answer = answerWords(one, fired, run)
  return trouble === undefined ? answer : `${trouble}; ${answer}`
}

function answerWords({ spec }: Examined, fired: Fired, run: Run): string {
  const took = duration(run.exit.durationMs)
  const said = ownWord(run, false, spec)
  if (said === 'silent') return `silent, ${took}`
  const fields = run.outcome.kind === 'answered' ? Object.keys(run.outcome.answer) : []
  if (said === 'no opinion' && fields.length === 0) return `answered without an opinion in ${took}`
  if (said !== 'answered' && said !== 'no opinion')
    return `answered ${said} to ${subjectWords(fired)} in ${took}`
  return `answered with ${fields.join(', ')} in ${took}`
}

/** What this failure does to the action, as the engine decided it. */
function effectWords({ hook, spec, policy }: Examined, { run, verdict }: Fired): string {
  if (spec.gate === 'none' || hook.mode === 'observe') return 'it would be recorded, and nothing else'
  const isClosed =
    run && verdict ? saidBy(run, verdict, spec) === 'failed closed' : policy.effect === 'closed'
  return isClosed ? 'the action would be stopped' : 'the action would proceed'
}

/** What a crash would do, though it did not crash now. */
export function crashWords({ policy }: Pick<Examined, 'policy'>): string | undefined {
  if (policy.effect === 'recorded') return undefined
  const effect = policy.effect === 'open' ? 'let the action through' : 'stop the action'
  return `a crash would ${effect}${policy.effect === 'open' ? '' : ` (${policy.why})`}`
}

/** What the pattern takes; undefined when it takes all, or is not used. */
export function matchWords({ hook, spec, profile, matching }: Examined): string | undefined {
  const text = pattern(hook.matcher)
  if (text === undefined || 'none' in spec.subject) return undefined
  if (!profile.config.keys.includes('matcher'))
    return `${profile.name} does not know patterns, so it always runs`
  if (hook.matcher.kind === 'invalid') return undefined
  const { tried, matches } = matching
  const held = `${shorten(text, 40)} matches`
  if (matches.length === 0) return `${held} nothing that we tried`
  if (matches.length === tried.length) return `${held} all that we tried`
  const named = matches.slice(0, 3).join(', ')
  const more = matches.length > 3 ? ` and ${matches.length - 3} more` : ''
  return `${held} ${matches.length} of ${tried.length} that we tried: ${named}${more}`
}

/** Worth a second look, each a line. */
export function remarks(one: Examined): string[] {
  const { hook, fired, programs, spec, state } = one
  const run = fired?.run
  const said = run && fired.verdict ? ownWord(run, false, spec) : undefined
  // What certainly lacks has been said, unless the canary came through all the same.
  const lacking = programs.filter(
    ({ problem, certain }) => problem !== undefined && (!certain || said !== undefined),
  )
  return [
    ...(hook.mode === 'observe' ? ['it only observes: nothing that it says has an effect'] : []),
    ...(said === 'deny' && fired!.isOwn ? ['it denied a harmless canary; does it deny everything?'] : []),
    ...(fired?.withoutMatcher && hook.matcher.kind !== 'invalid'
      ? ['no subject was found that its pattern takes, so it was fired without it']
      : []),
    ...(run && run.exit.durationMs > SLOW_MS && run.outcome.kind !== 'failed'
      ? [`slow: the agent waits ${duration(run.exit.durationMs)} for it each time`]
      : []),
    ...(run?.notes ?? []).map(({ code, message }) => `${oneLine(message)} ${CODES[code].hint}`),
    ...stderrWords(run),
    ...(state === 'well' || state === 'unmatched' ? lacking : []).map(program =>
      visible(problemWords(program)),
    ),
  ]
}

/** Its own subject is just a canary; another one is named, as it says what was answered. */
const subjectWords = ({ subject, isOwn }: Fired): string =>
  isOwn || subject === null ? 'a canary' : shorten(visible(subject), 60)

/** Of a failure the telling line has been quoted already. */
function stderrWords(run: Run | undefined): string[] {
  if (!run || run.outcome.kind === 'failed') return []
  const told = tellingLine(run.exit.stderr)
  const lines = run.exit.stderr.split('\n').filter(line => line.trim() !== '').length
  const more = lines > 1 ? ` (${count(lines, 'line')} in all)` : ''
  const exit = run.exit.code === 0 || run.exit.code === null ? '' : `exit ${run.exit.code}`
  const said = told === '' ? '' : `stderr: ${shorten(told, 160)}${more}`
  return [exit, said].filter(text => text !== '')
}

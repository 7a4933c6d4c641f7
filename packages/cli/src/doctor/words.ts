// The text about one hook: the outcome in one sentence, then notes.

import { CODES, type EventSpec, type Run } from '@holdfast/hooks/protocol'
import { oneLine, shorten, visible } from '../print/text.js'
import { count, duration, failureWords, list, mainLine, ownWord, pattern, saidBy } from '../print/words.js'
import type { Examined, Fired } from './examine.js'
import { certainProblem, missed, problemWords } from './fixes.js'

/** A longer run is a noticeable delay for the user. */
const SLOW_MS = 1000

export function outcomeWords(one: Examined): string {
  const { state, why, issues, programs, fired } = one
  if (state === 'not-run') return why ?? 'not run'
  const problem = certainProblem(programs)
  const issue = issues[0] && oneLine(issues[0].message).replace(/\.$/, '')
  const lack = issue ?? (problem && visible(problemWords(problem)))
  if (!fired) return lack ?? 'ready; not run'
  const run = fired.run
  if (!run) return `no response within ${fired.limitMs / 1000} s; ${effectWords(one, fired)}`
  if (run.outcome.kind === 'failed') {
    const isKnown = (state === 'cannot-run' || problem !== undefined) && lack !== undefined
    return `${shorten(isKnown ? lack : failureWords(run), 240)}; ${effectWords(one, fired)}`
  }
  const sought = missed(programs, run)
  // A program of the SDK that fails still responds, as its error policy says.
  const trouble = issue ?? failureOf(run) ?? (sought && visible(problemWords(sought)))
  const response = responseWords(one, fired, run)
  return trouble === undefined ? response : `${trouble}; ${response}`
}

/** A failure of a run that responded. */
function failureOf({ outcome, exit }: Run): string | undefined {
  if (outcome.kind !== 'answered' || !outcome.failure) return undefined
  const { code, message } = outcome.failure
  return code === 'run/exit' ? `exit ${exit.code}` : shorten(oneLine(message).replace(/\.$/, ''), 160)
}

function responseWords({ spec }: Examined, fired: Fired, run: Run): string {
  const took = duration(run.exit.durationMs)
  const response = ownWord(run, false, spec)
  if (response === 'silent') return `silent, ${took}`
  const fields = run.outcome.kind === 'answered' ? Object.keys(run.outcome.answer) : []
  if (response === 'no decision' && fields.length === 0) return `responded without a decision in ${took}`
  if (response !== 'answered' && response !== 'no decision')
    return `responded with ${response} to ${subjectWords(fired)} in ${took}`
  return `responded with ${fields.join(', ')} in ${took}`
}

/** The effect of this failure on the action, as the engine decided it. */
function effectWords({ hook, spec, policy }: Examined, { run, verdict }: Fired): string {
  if (spec.gate === 'none' || hook.mode === 'observe') return 'a failure is only recorded here'
  const isClosed =
    run && verdict ? saidBy(run, verdict, spec) === 'failed closed' : policy.effect === 'closed'
  return isClosed ? 'the action would be blocked' : 'the action would proceed'
}

/** The effect of a crash, for a hook that did not crash now. */
export function crashWords({ policy }: Pick<Examined, 'policy'>): string | undefined {
  if (policy.effect === 'recorded') return undefined
  const effect = policy.effect === 'open' ? 'let the action proceed' : 'block the action'
  return `a crash would ${effect}${policy.effect === 'open' ? '' : ` (${policy.why})`}`
}

/** What the pattern matches; undefined when it matches all, or is not used. */
export function matchWords({ hook, spec, profile, matching, issues }: Examined): string | undefined {
  const text = pattern(hook.matcher)
  if (text === undefined || 'none' in spec.subject) return undefined
  if (!profile.config.keys.includes('matcher')) return `${profile.name} has no matchers, so it always runs`
  // The issue has the reason.
  if (hook.matcher.kind === 'invalid' || issues.some(({ code }) => code === 'config/matcher-never'))
    return undefined
  const { tried, matches } = matching
  const subject = `${shorten(text, 40)} matches`
  if (matches.length === 0) return `${subject} none of the ${count(tried.length, 'sample')}`
  if (matches.length === tried.length) return `${subject} all samples`
  const named = matches.slice(0, 3).join(', ')
  const more = matches.length > 3 ? ` and ${matches.length - 3} more` : ''
  return `${subject} ${matches.length} of ${count(tried.length, 'sample')}: ${named}${more}`
}

/** Notes, one line each. */
export function remarks(one: Examined): string[] {
  const { hook, fired, programs, spec, state } = one
  const run = fired?.run
  const response = run && fired.verdict ? ownWord(run, false, spec) : undefined
  // A certain problem is in the outcome already, unless the hook responded all the same.
  const lacking = programs.filter(
    ({ problem, certain }) => problem !== undefined && (!certain || response !== undefined),
  )
  return [
    ...(hook.mode === 'observe' ? ['audit mode: its response has no effect'] : []),
    ...(response === 'deny' && fired!.isOwn
      ? ['it denied a harmless canary, so it may deny everything']
      : []),
    ...(fired?.withoutMatcher && hook.matcher.kind !== 'invalid'
      ? ['no sample matches its pattern, so it was run without the pattern']
      : []),
    ...(run && run.exit.durationMs > SLOW_MS && run.outcome.kind !== 'failed'
      ? [`slow: the agent waits ${duration(run.exit.durationMs)} for it each time`]
      : []),
    ...(run?.notes ?? []).flatMap(note => noteWords(note, spec)),
    ...stderrWords(run),
    ...(state === 'well' || state === 'unmatched' ? lacking : []).map(program =>
      visible(problemWords(program)),
    ),
  ]
}

/** A hint names only fields that the event has. */
function noteWords({ code, message }: Run['notes'][number], { answer, gate }: EventSpec): string[] {
  const fields = [
    ...(gate === 'none' ? [] : [gate]),
    ...['user_message', 'agent_message', 'followup_message'].filter(name => name in answer),
  ]
  const isAboutFields = code === 'note/decision' || code === 'note/camel-case'
  // Another note says that the field has no effect.
  if (isAboutFields && fields.length === 0) return []
  const hint = code === 'note/decision' ? `Write ${list(fields.slice(0, 2))}.` : CODES[code].hint
  return [`${oneLine(message)} ${hint}`]
}

/** Only a subject other than that of the canary is named. */
const subjectWords = ({ subject, isOwn }: Fired): string =>
  isOwn || subject === null ? 'a canary' : shorten(visible(subject), 60)

/** Of a failure the main line is quoted already. */
function stderrWords(run: Run | undefined): string[] {
  if (!run || run.outcome.kind === 'failed') return []
  const line = mainLine(run.exit.stderr)
  const lines = run.exit.stderr.split('\n').filter(line => line.trim() !== '').length
  const more = lines > 1 ? ` (${count(lines, 'line')} in all)` : ''
  const failure = failureOf(run) ?? ''
  const exit =
    run.exit.code === 0 || run.exit.code === null || failure.startsWith('exit ')
      ? ''
      : `exit ${run.exit.code}`
  const stderr = line === '' || line === failure ? '' : `stderr: ${shorten(line, 160)}${more}`
  return [exit, stderr].filter(text => text !== '')
}

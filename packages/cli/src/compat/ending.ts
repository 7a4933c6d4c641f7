// How it ends and what it prints besides words: exit codes, silence, text, and asking where nobody is asked.

import {
  denial,
  type Finding,
  isGuard,
  isKnown,
  onFailure,
  onInvalid,
  type Rule,
  type Subject,
  type There,
} from './finding.js'

export const exit2: Rule = ({ spec, traits }, there) => {
  if (!traits.exitsWith2 || there.spec.gate === 'none' || there.profile.answer.exit2) return undefined
  return {
    effect: 'nothing',
    what: 'It seems to stop the action with exit code 2, which is a failure like any other there: the action goes on.',
    fix: `Print ${denial({ spec })} and exit with 0.`,
    at: traits.exitsWith2,
  }
}

export const exitAfterDeny: Rule = (subject, there) => {
  const { traits } = subject
  if (!traits.exitsAfterDeny || there.profile.answer.denyHolds || onFailure(subject, there) !== 'open')
    return undefined
  return {
    effect: 'weaker',
    what: 'It seems to exit with an error right after a deny, and then the deny is lost.',
    fix: 'Exit with 0 once the answer is printed.',
    at: traits.exitsAfterDeny,
  }
}

export const silence: Rule = (subject, there) => {
  const { hook, traits } = subject
  const { gate: stops } = there.spec
  if (traits.speaks !== 'by-hand' || traits.silence === 'seldom' || stops === 'none') return undefined
  const mustAnswer = hook.failClosed === true && isKnown(there, 'failClosed')
  if (!mustAnswer && there.profile.answer.silence === 'no-opinion') return undefined
  const seems =
    traits.silence === 'always' ? 'It seems to print nothing' : 'It seems to print nothing unless it objects'
  const blocks = onFailure(subject, there) === 'closed'
  return {
    effect: 'differs',
    what: `${seems}, which is a failure: the action ${blocks ? 'is stopped' : 'goes on, and each time counts as failed'}.`,
    fix: 'Print {} when there is no objection.',
  }
}

export const textBefore: Rule = (subject, there) => {
  const { traits, spec } = subject
  const answers = traits.writes.size > 0
  if (!traits.printsText || (answers && there.profile.answer.textBefore === 'tolerated')) return undefined
  if (there.spec.gate === 'none' && !(answers && Object.keys(there.spec.answer).length > 0)) return undefined
  const voided = onInvalid(subject, there)
  const [effect, then] = CONSEQUENCE[voided]
  return {
    effect: effect === 'weaker' && !isGuard(subject) ? 'differs' : effect,
    what: answers
      ? `It seems to print text beside its answer, which voids the answer: ${then}.`
      : `It seems to print text where ${spec.name} expects JSON: ${then}.`,
    fix: 'Print the answer and nothing else; write what you want to say to stderr.',
    at: traits.printsText,
  }
}

const CONSEQUENCE = {
  open: ['weaker', 'the action goes on'],
  closed: ['differs', 'the action is stopped'],
  recorded: ['nothing', 'it has no effect'],
} as const satisfies Record<string, readonly [Finding['effect'], string]>

export const asking: Rule = (subject, there) => {
  const { traits, spec } = subject
  if (!traits.asks || there.spec.gate !== 'permission' || there.spec.ask === 'asks') return undefined
  const { effect, what } = ASKED[there.spec.ask](subject, there)
  return {
    effect,
    what: `It seems to ask, and ${what}.`,
    fix: `Answer allow or deny on ${spec.name}.`,
    at: traits.asks,
  }
}

type Asked = (subject: Subject, there: There) => Pick<Finding, 'effect' | 'what'>

const ASKED: Readonly<Record<'none' | 'denies' | 'invalid', Asked>> = {
  none: () => ({ effect: 'weaker', what: 'asking has no effect: the action goes on' }),
  denies: () => ({ effect: 'differs', what: 'asking counts as deny' }),
  invalid: (subject, there) => {
    const [effect, then] = CONSEQUENCE[onInvalid(subject, there)]
    return { effect, what: `"ask" is no valid word: ${then}` }
  },
}

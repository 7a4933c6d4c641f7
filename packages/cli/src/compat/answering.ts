// Is what it answers heard in this version?

import { ANSWER_ALIASES, ANSWER_FIELDS, type AnswerFieldName, eventsUnder } from '@holdfast/hooks/protocol'
import { denial, isGuard, list, type Rule, type Subject } from './finding.js'

const GATES: ReadonlySet<string> = new Set(['permission', 'continue'])
/** Texts that only tell: without them the rest of the answer still counts. */
const MESSAGES = new Set(
  Object.entries(ANSWER_FIELDS).flatMap(([name, { merge }]) => (merge === 'deciders' ? [name] : [])),
)

export const gate: Rule = (subject, there) => {
  const { spec, traits } = subject
  if (there.spec.gate !== 'none' || spec.gate === 'none' || !isGuard(subject)) return undefined
  const others = [...eventsUnder(there.profile).values()]
    .filter(({ denies }) => denies)
    .map(({ name }) => name)
  const saysMore = [...traits.writes.keys()].some(name => Object.hasOwn(there.spec.answer, canonical(name)))
  return {
    effect: saysMore ? 'weaker' : 'nothing',
    what: `${spec.name} cannot be stopped: a deny has no effect.`,
    fix: `Stop what follows from it instead, with ${list(others)}.`,
    at: traits.denies ?? traits.exitsWith2,
  }
}

/** Fields of its answer that this event has today and not there. */
export const unhonoured: Rule = (subject, there) => {
  const { spec, traits } = subject
  const lost = fieldsOf(subject).filter(
    name => Object.hasOwn(spec.answer, name) && !Object.hasOwn(there.spec.answer, name) && !GATES.has(name),
  )
  // Where nothing can be stopped, no text about stopping is missed.
  const isMoot = there.spec.gate === 'none' && spec.gate !== 'none' && lost.every(name => MESSAGES.has(name))
  if (lost.length === 0 || isMoot) return undefined
  const onlyTexts = lost.every(name => MESSAGES.has(name))
  const kept = [...MESSAGES].filter(name => Object.hasOwn(there.spec.answer, name))
  return {
    effect: onlyTexts || isGuard(subject) ? 'differs' : 'nothing',
    what: `It seems to answer with ${list(lost)}, which ${lost.length > 1 ? 'have' : 'has'} no effect on ${spec.name}.`,
    fix: !onlyTexts
      ? 'No other field does the same there.'
      : kept.length > 0
        ? `Say what matters in ${list(kept)}.`
        : 'The action is stopped all the same, without your words.',
    at: placeOfAny(traits.writes, lost),
  }
}

/** The fields under today's names, whatever spelling it uses. */
const fieldsOf = ({ traits }: Subject): AnswerFieldName[] => [
  ...new Set([...traits.writes.keys()].map(canonical)),
]

const canonical = (name: string): AnswerFieldName =>
  (Object.hasOwn(ANSWER_ALIASES, name) ? ANSWER_ALIASES[name]! : name) as AnswerFieldName

const placeOfAny = (places: Subject['traits']['writes'], names: readonly string[]) =>
  [...places].find(([name]) => names.includes(canonical(name)))?.[1]

/** `continue: false` where only `permission` is read, or the other way round. */
export const otherGate: Rule = ({ spec, traits, hook }, there) => {
  const own = there.spec.gate
  if (traits.speaks !== 'by-hand' || hook.dialect !== 'native' || own === 'none' || !traits.denies)
    return undefined
  if (there.profile.answer.denyHolds || traits.writes.has(own) || traits.writes.has('decision'))
    return undefined
  const said = own === 'permission' ? 'continue' : 'permission'
  if (!traits.writes.has(said) || Object.hasOwn(there.spec.answer, said)) return undefined
  return {
    effect: 'nothing',
    what: `It seems to stop with "${said}", which is not read on ${spec.name}.`,
    fix: `Write "${own}" beside it: ${denial({ spec })}.`,
    at: traits.writes.get(said),
  }
}

/** camelCase where snake_case is read, and snake_case where camelCase is. */
export const spelling: Rule = ({ traits, hook }, there) => {
  const { messages } = there.profile.answer
  if (traits.speaks !== 'by-hand' || hook.dialect !== 'native' || messages === 'any') return undefined
  const written = [...traits.writes.keys()]
  const twins = (field: string) => written.filter(name => canonical(name) === field)
  const isRead = (name: string) =>
    messages === 'snake' ? !Object.hasOwn(ANSWER_ALIASES, name) : !MESSAGES.has(name)
  const deaf = written.filter(
    name =>
      Object.hasOwn(there.spec.answer, canonical(name)) &&
      !isRead(name) &&
      !twins(canonical(name)).some(isRead),
  )
  if (deaf.length === 0) return undefined
  const wanted = deaf.map(name => (messages === 'snake' ? canonical(name) : aliasOf(name)))
  return {
    effect: deaf.every(name => MESSAGES.has(canonical(name))) ? 'differs' : 'nothing',
    what: `It seems to answer with ${list(deaf)}, and only ${messages === 'snake' ? 'snake_case' : 'camelCase'} is read.`,
    fix: `Write ${list(wanted)} beside ${deaf.length > 1 ? 'them' : 'it'}: whoever does not know a field passes over it.`,
    at: traits.writes.get(deaf[0]!),
  }
}

const aliasOf = (field: string): string =>
  Object.entries(ANSWER_ALIASES).find(([, name]) => name === field)?.[0] ?? field

/** `decision` where it is not read, and `permission` where only `decision` is. */
export const decision: Rule = (subject, there) => {
  const { spec, traits, hook } = subject
  if (traits.speaks !== 'by-hand' || hook.dialect !== 'native' || hook.type !== 'command') return undefined
  const reads = there.profile.answer.decision
  const isRead = reads === 'any' || (reads !== 'none' && reads.includes(spec.name))
  const instead = isRead && reads !== 'any'
  const [has, wants] = instead ? (['permission', 'decision'] as const) : (['decision', 'permission'] as const)
  if (
    (isRead && !instead) ||
    !traits.writes.has(has) ||
    traits.writes.has(wants) ||
    traits.writes.has('continue')
  )
    return undefined
  if (instead && !isGuard(subject) && !traits.allows) return undefined
  const field = spec.gate === 'none' ? 'followup_message' : spec.gate === 'continue' ? 'continue' : wants
  return {
    effect: 'nothing',
    what: `It seems to answer with "${has}", which is not read on ${spec.name}${instead ? '; "decision" is' : ''}.`,
    fix: instead
      ? 'Write "decision" with the same word beside it, and "reason" for the text.'
      : `Write "${field}" beside it.`,
    at: traits.writes.get(has),
  }
}

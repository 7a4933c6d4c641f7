// What other hooks of the event do to it in this version.

import { ANSWER_FIELDS } from '@holdfast/hooks/protocol'
import { shortHook } from '../print/words.js'
import { list, type Rule, type Subject } from './finding.js'

const names = (subjects: readonly Subject[]) => list(subjects.map(({ hook }) => shortHook(hook)))

export const silentNeighbour: Rule = (subject, there) => {
  if (!there.profile.merge.silenceLosesContinue || there.spec.gate !== 'continue') return undefined
  const silent = subject.beside.filter(
    other => other !== subject && other.traits.speaks === 'by-hand' && other.traits.silence !== 'seldom',
  )
  if (!(subject.traits.denies ?? subject.traits.exitsWith2) || silent.length === 0) return undefined
  return {
    effect: 'weaker',
    what: `Its deny is lost when another hook of the event prints nothing, as ${names(silent)} ${silent.length > 1 ? 'seem' : 'seems'} to.`,
    fix: `Let ${names(silent)} print {}.`,
  }
}

export const higherSource: Rule = (subject, there) => {
  const { hook, traits, beside } = subject
  if (
    there.profile.merge.permission !== 'highest-source' ||
    !(traits.denies ?? traits.asks ?? traits.exitsWith2)
  )
    return undefined
  const above = beside.filter(other => other.hook.rank < hook.rank && allowsAloud(other))
  if (above.length === 0) return undefined
  return {
    effect: 'weaker',
    what: `Only the highest source with an opinion counts, and ${names(above)} of ${above[0]!.hook.source} seems to say allow.`,
    fix: `Let ${names(above)} print {} instead of allow.`,
  }
}

/** {} is no opinion; only the word is. */
const allowsAloud = ({ traits }: Subject): boolean =>
  traits.allows !== undefined &&
  (traits.writes.has('permission') || traits.writes.has('continue') || traits.speaks === 'sdk')

export const lastContext: Rule = ({ hook, traits, beside }, there) => {
  const field = 'additional_context'
  if (there.profile.merge.context !== 'last' || !traits.writes.has(field)) return undefined
  const here = beside.findIndex(other => other.hook === hook)
  const after = beside.slice(here + 1).filter(other => other.traits.writes.has(field))
  if (after.length === 0 || !Object.hasOwn(there.spec.answer, field)) return undefined
  return {
    effect: 'nothing',
    what: `Only the context of the last hook is kept, and ${names(after)} ${after.length > 1 ? 'come' : 'comes'} after it.`,
    fix: 'Let one script give all of it.',
    at: traits.writes.get(field),
  }
}

/** One value for all hooks: of the highest source today, of the last in some versions. */
export const lastValue: Rule = ({ hook, traits, beside }, there) => {
  // Where the first answer ends the round, nobody comes after it.
  const { merge, run } = there.profile
  if (merge.single !== 'last' || run.which === 'first-valid') return undefined
  const fields = Object.entries(ANSWER_FIELDS).flatMap(([name, { merge }]) =>
    merge.startsWith('highest') && traits.writes.has(name) && Object.hasOwn(there.spec.answer, name)
      ? [name]
      : [],
  )
  const below = beside.filter(
    other => other.hook.rank > hook.rank && fields.some(name => other.traits.writes.has(name)),
  )
  if (below.length === 0) return undefined
  return {
    effect: 'differs',
    what: `${list(fields)}: what ${names(below)} of ${below[0]!.hook.source} says replaces what it says.`,
    fix: 'Let one source set it.',
    at: traits.writes.get(fields[0]!),
  }
}

// Does it run at all in this version, and as the entry says?

import { ENTRY_FIELDS, EVENT_SPECS, type EventSpec, VERSIONS } from '@holdfast/hooks/protocol'
import { pattern, shortHook, subjectWords } from '../print/words.js'
import {
  type Finding,
  isGuard,
  isKnown,
  list,
  onFailure,
  type Rule,
  type Subject,
  type There,
} from './finding.js'

/** The event came later. Asked with today's row, as there is no other. */
export const missingEvent = ({ spec }: Subject): Finding => {
  const older = olderThan(spec)
  return {
    effect: 'nothing',
    what: `There is no ${spec.name}, so it never runs.`,
    fix:
      older.length > 0
        ? `It came with ${spec.since}. Guard what you can with older events as well: ${list(older)}.`
        : `It came with ${spec.since}, and no older event tells of the same.`,
  }
}

/** Events of single tools, where an event of all tools is too new. */
const olderThan = ({ denies, since }: EventSpec): string[] =>
  denies?.tool.startsWith('{')
    ? EVENT_SPECS.filter(spec => spec.denies && VERSIONS.indexOf(spec.since) < VERSIONS.indexOf(since)).map(
        ({ name }) => name,
      )
    : []

export const promptHook: Rule = ({ hook }, there) =>
  hook.type === 'prompt' && !isKnown(there, 'prompt')
    ? {
        effect: 'nothing',
        what: 'There are no prompt hooks, so it never runs.',
        fix: 'Put a command hook beside it that gets along without a model.',
      }
    : undefined

export const pathBase: Rule = ({ hook, missing }, { profile }) => {
  const { pathBase: base } = profile.config
  const word = missing[base]
  if (word === null) return undefined
  const elsewhere = missing[base === 'root' ? 'file' : 'root'] === null
  if (!elsewhere)
    return {
      effect: 'nothing',
      what: `${word} does not exist.`,
      fix: 'Create it, or correct the path; see: holdfast check',
    }
  const command = base === 'file' ? hook.command! : `.cursor/${hook.command!.replace(/^\.\//, '')}`
  const from =
    base === 'file'
      ? 'from .cursor, where project hooks start there'
      : 'from the project root, where project hooks start there'
  return {
    effect: 'nothing',
    what: `${word} is not found ${from}.`,
    fix: `Begin at the project root wherever it starts: "command": ${JSON.stringify(`[ -d .cursor ] || cd ..; ${command}`)}`,
  }
}

export const firstOnly: Rule = ({ hook, beside }, { profile }) => {
  const first = beside.find(other => other.hook.file === hook.file)
  if (profile.run.which !== 'first-only' || !first || first.hook === hook) return undefined
  return {
    effect: 'nothing',
    what: `Only the first hook of a file runs for each event: ${shortHook(first.hook)}.`,
    fix: 'Let one script do both, or start this one from the first.',
  }
}

export const firstValid: Rule = (subject, { profile }) => {
  const before = subject.beside.slice(0, subject.beside.indexOf(subject))
  const answering = before.filter(({ traits }) => traits.silence !== 'always')
  if (profile.run.which !== 'first-valid' || answering.length === 0) return undefined
  const names = list(answering.map(({ hook }) => shortHook(hook)))
  return {
    effect: isGuard(subject) ? 'weaker' : 'differs',
    what: `The first answer ends the round, {} included, and ${names} before it ${mayAnswer(answering)}.`,
    fix: 'Put it first, or let one script answer for the event.',
  }
}

const mayAnswer = (hooks: readonly Subject[]): string => {
  if (hooks.every(({ traits }) => traits.speaks === 'unknown')) return 'may answer'
  return hooks.length > 1 ? 'seem to answer' : 'seems to answer'
}

export const matcher: Rule = ({ hook, spec }, there) => {
  const wanted = pattern(hook.matcher)
  if (wanted === undefined || isKnown(there, 'matcher') || !('field' in spec.subject)) return undefined
  return {
    effect: 'differs',
    what: `"matcher" is not known: it runs whatever ${subjectWords(spec.subject)} is, not only for ${wanted}.`,
    fix: `Let the script look at ${spec.subject.field}, too, and print {} when it is none of its business.`,
  }
}

export const timeout: Rule = ({ hook }, there) => {
  const usual = ENTRY_FIELDS.timeout.default
  const own = hook.timeoutMs / 1000
  if (hook.type !== 'command' || own === usual || isKnown(there, 'timeout')) return undefined
  return {
    effect: 'differs',
    what: `"timeout" is not known: the limit is ${usual} s instead of ${own} s.`,
    fix: own < usual ? 'Let the script watch its own time.' : `Let it be done within ${usual} s.`,
  }
}

export const loopLimit: Rule = ({ hook, spec }, { profile }) => {
  const usual = ENTRY_FIELDS.loop_limit.default
  if (spec.loop !== 'counts' || profile.run.loops !== 'fixed' || hook.loopLimit === usual) return undefined
  return {
    effect: 'differs',
    what: `"loop_limit" is not known: no hook of the event runs after ${usual} follow-ups in a row.`,
    fix:
      hook.loopLimit !== null && hook.loopLimit < usual
        ? 'Let the script look at loop_count itself.'
        : `Let it reach its end within ${usual} follow-ups.`,
  }
}

/** Compared with what the same entry does today. */
export function failing(subject: Subject, there: There, today: There): Finding | undefined {
  const { failClosed } = subject.hook
  const [now, then] = [onFailure(subject, today), onFailure(subject, there)]
  if (now === then || there.spec.gate === 'none' || (failClosed === undefined && !isGuard(subject)))
    return undefined
  const why =
    failClosed !== undefined && !isKnown(there, 'failClosed') ? ', as "failClosed" is not known' : ''
  return then === 'open'
    ? {
        effect: 'weaker',
        what: `A failure of the hook lets the action pass${why}.`,
        fix:
          subject.hook.type === 'prompt'
            ? 'Put a command hook beside it that denies what must never pass.'
            : 'Let the script itself answer with a deny when something in it goes wrong.',
      }
    : {
        effect: 'differs',
        what: `A failure of the hook stops the action${why}.`,
        fix: 'Let the script itself answer {} when something in it goes wrong.',
      }
}

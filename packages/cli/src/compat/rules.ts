// What hooks.json and the tables of versions prove about an entry. No script is read and nothing is run.

import {
  ENTRY_FIELDS,
  EVENT_SPECS,
  type EventSpec,
  eventsUnder,
  findProfile,
  VERSIONS,
} from '@holdfast/hooks/protocol'
import { policyOf } from '../print/policy.js'
import { list, pattern, shortHook, subjectWords } from '../print/words.js'
import { TODAY } from '../profiles/names.js'
import type { CompatRule, Finding, Subject, There } from './finding.js'

const hasKey = ({ profile }: There, key: string): boolean => profile.config.keys.includes(key)

/** The version does not have the event, so only the current row is available. */
export const missingEvent = ({ spec }: Subject): Finding => {
  const older = olderThan(spec)
  const came = spec.isOurs ? 'Cursor does not have the event' : `The event came with ${spec.since}`
  return {
    effect: 'nothing',
    what: `There is no ${spec.name}, so it never runs.`,
    fix:
      older.length > 0
        ? `${came}. Use older events as well: ${list(older)}.`
        : `${came}, and no older event covers the same.`,
  }
}

/** Events of single tools, where an event of all tools is too new. */
const olderThan = ({ denies, since }: EventSpec): string[] =>
  denies?.tool.startsWith('{')
    ? EVENT_SPECS.filter(spec => spec.denies && VERSIONS.indexOf(spec.since) < VERSIONS.indexOf(since)).map(
        ({ name }) => name,
      )
    : []

const promptHook: CompatRule = ({ hook }, there) => {
  const needed = hook.type === 'http' ? 'url' : 'prompt'
  if ((hook.type !== 'prompt' && hook.type !== 'http') || hasKey(there, needed)) return undefined
  return {
    effect: 'nothing',
    what: `There are no ${hook.type} hooks, so it never runs.`,
    fix: `Add a command hook that ${hook.type === 'http' ? 'sends the request' : 'needs no model'}.`,
  }
}

const path: CompatRule = ({ hook, missing }, { profile }) => {
  const { pathBase: base } = profile.config
  const word = missing[base]
  if (word === null) return undefined
  if (missing[base === 'root' ? 'file' : 'root'] !== null)
    return {
      effect: 'nothing',
      what: `${word} does not exist.`,
      fix: 'Create it, or correct the path; see: holdfast check',
    }
  const command = base === 'file' ? hook.command! : `.cursor/${hook.command!.replace(/^\.\//, '')}`
  return {
    effect: 'nothing',
    what: `${word} is not found from ${base === 'file' ? '.cursor' : 'the project root'}, where project hooks start.`,
    fix: `Change to the project root first: "command": ${JSON.stringify(`[ -d .cursor ] || cd ..; ${command}`)}`,
  }
}

const firstOnly: CompatRule = ({ hook, first: { inFile } }, { profile }) =>
  profile.run.which === 'first-only' && inFile && inFile !== hook
    ? {
        effect: 'nothing',
        what: `Only the first hook of a file runs for each event: ${shortHook(inFile)}.`,
        fix: 'Combine both in one script, or start this one from the first.',
      }
    : undefined

const firstValid: CompatRule = ({ hook, first: { ofEvent } }, { profile }) =>
  profile.run.which === 'first-valid' && ofEvent && ofEvent !== hook
    ? {
        effect: 'nothing',
        what: `The first valid response ends the event, {} included. It does not run if ${shortHook(ofEvent)} or another hook before it responds.`,
        fix: 'Put it first, or combine the hooks of the event in one script.',
        isPossible: true,
      }
    : undefined

const matcher: CompatRule = ({ hook, spec }, there) => {
  const wanted = pattern(hook.matcher)
  if (wanted === undefined || /^\^?\.\*\$?$/.test(wanted) || hasKey(there, 'matcher')) return undefined
  if (!('field' in spec.subject)) return undefined
  return {
    effect: 'differs',
    what: `"matcher" is not supported: it runs for any value of ${subjectWords(spec.subject)}, not only ${wanted}.`,
    fix: `Check ${spec.subject.field} in the script as well, and print {} if it does not apply.`,
  }
}

const timeout: CompatRule = ({ hook }, there) => {
  const usual = ENTRY_FIELDS.timeout.default
  const own = hook.timeoutMs / 1000
  if (hook.type !== 'command' || own === usual || hasKey(there, 'timeout')) return undefined
  return {
    effect: 'differs',
    what: `"timeout" is not supported: the limit is ${usual} s instead of ${own} s.`,
    fix: own < usual ? 'Limit the time inside the script.' : `Finish within ${usual} s.`,
  }
}

const loopLimit: CompatRule = ({ hook, spec }, { profile }) => {
  const usual = ENTRY_FIELDS.loop_limit.default
  if (spec.loop !== 'counts' || profile.run.loops !== 'fixed' || hook.loopLimit === usual) return undefined
  return {
    effect: 'differs',
    what: `"loop_limit" is not supported: no hook of the event runs after ${usual} follow-ups in a row.`,
    fix:
      hook.loopLimit !== null && hook.loopLimit < usual
        ? 'Check loop_count in the script.'
        : `Finish within ${usual} follow-ups.`,
  }
}

/** `failClosed: true` means that the hook must block. Most others never do, and only a run can show it. */
const gate: CompatRule = ({ hook, spec }, there) => {
  if (there.spec.gate !== 'none' || spec.gate === 'none' || hook.failClosed !== true) return undefined
  const others = [...eventsUnder(there.profile).values()].flatMap(({ denies, name }) =>
    denies ? [name] : [],
  )
  return {
    effect: 'weaker',
    what: `${spec.name} cannot be blocked: a deny has no effect.`,
    fix: `Block a later event instead: ${list(others)}.`,
  }
}

/** Compared with what a failure of the same entry does now. */
const failure: CompatRule = (subject, there) => {
  const { hook, spec } = subject
  if (there.spec.gate === 'none') return undefined
  const now = policyOf(hook, spec, findProfile(TODAY)!).effect
  const then = policyOf(hook, there.spec, there.profile).effect
  if (now === then) return undefined
  const why =
    hook.failClosed !== undefined && !hasKey(there, 'failClosed') ? ': "failClosed" is not supported' : ''
  return then === 'open'
    ? {
        effect: 'weaker',
        what: `A failure of the hook lets the action proceed${why}.`,
        fix:
          hook.type === 'prompt'
            ? 'Add a command hook that denies what must never proceed.'
            : 'Catch errors in the script and respond with a deny.',
        isPossible: hook.failClosed !== true,
      }
    : {
        effect: 'differs',
        what: `A failure of the hook blocks the action${why}.`,
        fix: 'Catch errors in the script and print {}.',
      }
}

export const RULES = {
  'prompt-hook': promptHook,
  path,
  'first-only': firstOnly,
  gate,
  failure,
  'first-valid': firstValid,
  matcher,
  timeout,
  'loop-limit': loopLimit,
} as const satisfies Record<string, CompatRule>

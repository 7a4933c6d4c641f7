// Which hooks run for this event, in which order, and why the others do not.

import type { HookDefinition } from '../protocol/config.js'
import type { Event, Plan, Planned, Skipped, SkipReason } from '../protocol/run.js'
import { isAtLeast } from '../protocol/versions.js'
import { type Match, match } from './match.js'

/** Versions without per-script limits run no stop hook from here on. */
const FIXED_LOOP_LIMIT = 5

export function plan(event: Event, hooks: readonly HookDefinition[]): Plan {
  const { profile } = event
  const subject = subjectOf(event)
  const planned: Planned[] = []
  const skipped: Skipped[] = []
  const forAll = reasonForAll(event)
  const matches = forAll ? [] : match(hooks, profile.config.keys.includes('matcher') ? subject : null)
  const filesSeen = new Set<string | null>()
  for (let i = 0; i < hooks.length; i++) {
    const hook = hooks[i]!
    const reason = forAll ?? reasonToSkip(event, hook, matches[i]!, filesSeen)
    if (reason) skipped.push({ hook, reason })
    else planned.push({ hook, why: WHY[matches[i]!] })
    // A hook in audit mode does not count as the first of its file.
    if (hook.mode === 'enforce') filesSeen.add(hook.file)
  }
  const untilAnswered = profile.run.which === 'first-valid'
  return Object.freeze({
    event,
    subject,
    hooks: planned,
    skipped,
    untilAnswered,
    concurrent: profile.run.concurrent && !untilAnswered,
  })
}

/** The text that matchers are tested against; null when the event has none. */
export function subjectOf({ spec, facts }: Event): string | null {
  const { subject } = spec
  if ('word' in subject) return subject.word
  if ('none' in subject) return null
  const value = facts[subject.field]
  return typeof value === 'string' ? value : (subject.otherwise ?? '')
}

const WHY: Readonly<Record<Match, Planned['why']>> = {
  all: 'all',
  yes: 'matched',
  slow: 'matcher-slow',
  invalid: 'bad-matcher',
  no: 'matched',
}

function reasonForAll({ spec, profile, facts }: Event): SkipReason | undefined {
  if (!isAtLeast(profile.version, spec.since)) return 'not-in-version'
  const { loop_count: loops } = facts
  const isOver = typeof loops === 'number' && loops >= FIXED_LOOP_LIMIT
  if (profile.run.loops === 'fixed' && spec.loop === 'counts' && isOver) return 'loop-limit'
  return undefined
}

function reasonToSkip(
  { spec, profile }: Event,
  hook: HookDefinition,
  matched: Match,
  filesSeen: ReadonlySet<string | null>,
): SkipReason | undefined {
  if (!hook.trusted) return 'untrusted'
  if (hook.type === 'prompt' && !profile.config.keys.includes('prompt')) return 'not-in-version'
  if (profile.run.which === 'first-only' && filesSeen.has(hook.file)) return 'first-only'
  if (matched === 'no') return 'matcher'
  // A guard whose pattern cannot be evaluated runs: once too often is safer than never.
  if (spec.gate === 'permission') return undefined
  if (matched === 'slow') return 'matcher-slow'
  if (matched === 'invalid') return 'bad-matcher'
  return undefined
}

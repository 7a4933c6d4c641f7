// Every rule for every hook in every version, each finding once with the versions that it holds for.

import { eventsUnder, findProfile, type ProfileName } from '@holdfast/hooks/protocol'
import { IN_ORDER, TODAY } from '../profiles/names.js'
import * as answering from './answering.js'
import * as ending from './ending.js'
import type { Effect, Finding, Rule, Subject, There } from './finding.js'
import * as merging from './merging.js'
import * as reading from './reading.js'
import * as starting from './starting.js'

export interface Judged extends Finding {
  readonly kind: Kind
  readonly versions: readonly ProfileName[]
}

const RULES = {
  'prompt-hook': starting.promptHook,
  path: starting.pathBase,
  'first-only': starting.firstOnly,
  failure: (subject, there) => starting.failing(subject, there, thereOf(subject, TODAY)!),
  'first-valid': starting.firstValid,
  matcher: starting.matcher,
  timeout: starting.timeout,
  'loop-limit': starting.loopLimit,
  gate: answering.gate,
  unhonoured: answering.unhonoured,
  'other-gate': answering.otherGate,
  spelling: answering.spelling,
  decision: answering.decision,
  'exit-2': ending.exit2,
  'exit-after-deny': ending.exitAfterDeny,
  silence: ending.silence,
  text: ending.textBefore,
  ask: ending.asking,
  renamed: reading.renamed,
  'old-name': reading.oldName,
  unsent: reading.unsent,
  seconds: reading.inSeconds,
  attachments: reading.attachmentKey,
  'silent-neighbour': merging.silentNeighbour,
  'higher-source': merging.higherSource,
  'last-context': merging.lastContext,
  'last-value': merging.lastValue,
} as const satisfies Record<string, Rule>

export type Kind = 'event' | keyof typeof RULES

export const KINDS: readonly Kind[] = ['event', ...(Object.keys(RULES) as Kind[])]

/** What hooks.json itself says; all else is guessed from the text of scripts. */
const CERTAIN: ReadonlySet<Kind> = new Set<Kind>([
  'event',
  'prompt-hook',
  'path',
  'first-only',
  'failure',
  'matcher',
  'timeout',
  'loop-limit',
])
export const isGuess = (kind: Kind): boolean => !CERTAIN.has(kind)

/** There is nothing more to say about a hook that the version does not have. */
const FINAL: ReadonlySet<Kind> = new Set<Kind>(['event', 'prompt-hook'])

export function judge(subject: Subject, profiles: readonly ProfileName[]): Judged[] {
  const found = new Map<string, Judged & { versions: ProfileName[] }>()
  for (const name of IN_ORDER.filter(each => profiles.includes(each))) {
    for (const [kind, finding] of findingsIn(subject, name)) {
      const key = JSON.stringify([kind, finding.what, finding.fix, finding.effect])
      const known = found.get(key)
      if (known) known.versions.push(name)
      else found.set(key, { ...finding, kind, versions: [name] })
    }
  }
  return [...found.values()].sort(byWeight)
}

const WEIGHT: Readonly<Record<Effect, number>> = { nothing: 0, weaker: 1, differs: 2 }

const byWeight = (a: Judged, b: Judged) =>
  WEIGHT[a.effect] - WEIGHT[b.effect] || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)

function findingsIn(subject: Subject, name: ProfileName): [Kind, Finding][] {
  const there = thereOf(subject, name)
  if (!there) return [['event', starting.missingEvent(subject)]]
  const found: [Kind, Finding][] = []
  for (const [kind, rule] of Object.entries(RULES) as [Kind, Rule][]) {
    const finding = rule(subject, there)
    if (finding) found.push([kind, finding])
    if (finding && FINAL.has(kind)) break
  }
  return found
}

function thereOf({ hook }: Subject, name: ProfileName): There | undefined {
  const profile = findProfile(name)!
  const spec = eventsUnder(profile).get(hook.event)
  return spec && { profile, spec }
}

/** How a hook fares in one version, in one word. */
export function standing(found: readonly Judged[], name: ProfileName): Effect | 'works' {
  const effects = found.filter(({ versions }) => versions.includes(name)).map(({ effect }) => effect)
  return effects.sort((a, b) => WEIGHT[a] - WEIGHT[b])[0] ?? 'works'
}

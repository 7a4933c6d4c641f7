// Every rule for every hook in every version, each finding once with the versions that it applies to.

import { type DiscoverOptions, discover } from '@holdfast/hooks'
import { eventsUnder, findProfile, type Layer, type ProfileName } from '@holdfast/hooks/protocol'
import { readFiles } from '../check/files.js'
import { IN_ORDER } from '../profiles/names.js'
import type { CompatRule, Finding, FindingEffect, Subject, There } from './finding.js'
import { missingEvent, RULES } from './rules.js'
import { FOUND, missingFinder, subjectsOf } from './subjects.js'

/** `run` is what a rehearsal showed; all others are rules. */
export type FindingKind = 'event' | keyof typeof RULES | 'run'
export const KINDS: readonly FindingKind[] = ['event', ...(Object.keys(RULES) as FindingKind[]), 'run']

export interface JudgedHook extends Finding {
  readonly kind: FindingKind
  readonly versions: readonly ProfileName[]
}

export interface Verdicts {
  readonly layers: readonly Layer[]
  readonly profiles: readonly ProfileName[]
  readonly hooks: readonly { readonly subject: Subject; readonly found: readonly JudgedHook[] }[]
  /** Hooks that were rehearsed; null when nothing was run. */
  readonly rehearsed: ReadonlySet<string> | null
}

/** Everything that is configured, or these files. */
export async function judgeAll(
  options: DiscoverOptions,
  profiles: readonly ProfileName[],
  files: readonly string[] = [],
): Promise<Verdicts> {
  const named = await readFiles(files, options)
  const layers = files.length > 0 ? named.map(({ layer }) => layer) : (await discover(options)).layers
  // It is not known where the commands of a file that no agent reads would start.
  const loose = new Set(named.filter(({ isLoose }) => isLoose).map(({ layer }) => layer.source.file))
  const missingOf = missingFinder(options.home)
  const subjects = subjectsOf(layers, hook =>
    hook.file !== null && loose.has(hook.file) ? FOUND : missingOf(hook),
  )
  const hooks = subjects.map(subject => ({ subject, found: judge(subject, profiles) }))
  return { layers, profiles, hooks, rehearsed: null }
}

/** One finding in one version. */
export type Found = readonly [version: ProfileName, kind: FindingKind, finding: Finding]

export const judge = (subject: Subject, profiles: readonly ProfileName[]): JudgedHook[] =>
  together(
    IN_ORDER.filter(each => profiles.includes(each)).flatMap(name =>
      findingsIn(subject, name).map(([kind, finding]): Found => [name, kind, finding]),
    ),
  )

export function together(all: readonly Found[]): JudgedHook[] {
  const found = new Map<string, JudgedHook & { versions: ProfileName[] }>()
  for (const [version, kind, finding] of all) {
    const key = `${kind} ${finding.effect} ${finding.isPossible} ${finding.what} ${finding.fix}`
    const known = found.get(key)
    if (known) known.versions.push(version)
    else found.set(key, { ...finding, kind, versions: [version] })
  }
  return [...found.values()].sort(byWeight)
}

const WEIGHT: Readonly<Record<FindingEffect, number>> = { nothing: 0, weaker: 1, differs: 2 }

const byWeight = (a: JudgedHook, b: JudgedHook) =>
  WEIGHT[a.effect] - WEIGHT[b.effect] || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)

/** A hook that a version does not have needs no further finding. */
const FINAL: ReadonlySet<FindingKind> = new Set<FindingKind>(['event', 'prompt-hook'])

function findingsIn(subject: Subject, name: ProfileName): [FindingKind, Finding][] {
  const there = thereOf(subject, name)
  if (!there) return [['event', missingEvent(subject)]]
  const found: [FindingKind, Finding][] = []
  for (const [kind, rule] of Object.entries(RULES) as [FindingKind, CompatRule][]) {
    const finding = rule(subject, there)
    if (finding) found.push([kind, finding])
    if (finding && FINAL.has(kind)) break
  }
  return found
}

const TABLES = new Map(
  IN_ORDER.map(name => {
    const profile = findProfile(name)!
    return [name, { profile, events: eventsUnder(profile) }] as const
  }),
)

function thereOf({ hook }: Subject, name: ProfileName): There | undefined {
  const { profile, events } = TABLES.get(name)!
  const spec = events.get(hook.event)
  return spec && { profile, spec }
}

export const isProven = ({ isPossible }: Finding): boolean => isPossible !== true

/** How a hook works in one version, in one word. Only proven findings count. */
export function standing(found: readonly JudgedHook[], name: ProfileName): FindingEffect | 'works' {
  const effects = found
    .filter(one => isProven(one) && one.versions.includes(name))
    .map(({ effect }) => effect)
  return effects.sort((a, b) => WEIGHT[a] - WEIGHT[b])[0] ?? 'works'
}

// How versions of Cursor would handle the hooks, judged as compat does: as if they were in the target already, after
// its entries.

import type { Catalog, HookDefinition, Layer, ProfileName } from '@holdfast/hooks/protocol'
import { SOURCES } from '@holdfast/hooks/protocol'
import { type FindingKind, isProven, type JudgedHook, judge, type Verdicts } from '../compat/judge.js'
import { FOUND, subjectsOf } from '../compat/subjects.js'
import { IN_ORDER, TODAY } from '../profiles/names.js'
import type { CursorTarget } from './place.js'
import type { HooksToInstall } from './source.js'

export const VERSIONS = IN_ORDER.filter(name => name !== TODAY)
const NEWEST: ProfileName = VERSIONS.at(-1)!

export function verdictsOn(
  source: HooksToInstall,
  { level }: CursorTarget,
  { layers }: Pick<Catalog, 'layers'>,
): Verdicts {
  const { rank } = SOURCES[level]
  const hooks = source.hooks.map((hook): HookDefinition => ({ ...hook, source: level, rank }))
  const around = layers.filter(layer => !SOURCES[layer.source.kind].needsTrust)
  const own = around.find(layer => layer.source.kind === level)!
  const others = own.hooks.filter(hook => !isSame(hook, source.name))
  const there: Layer = { ...own, state: 'loaded', hooks: [...others, ...hooks] }
  const looked = around.map(layer => (layer === own ? there : layer))
  // The plan has checked that every script exists; its current folder is not the one it will start from.
  const subjects = subjectsOf(looked, () => FOUND).filter(({ hook }) => hooks.includes(hook))
  const from: Layer = { ...own, state: 'loaded', hooks, issues: [], dropped: 0 }
  return {
    layers: [from],
    profiles: VERSIONS,
    hooks: subjects.map(subject => ({ subject, found: judge(subject, VERSIONS) })),
    rehearsed: null,
  }
}

/** Installed earlier. */
const isSame = ({ command = '' }: HookDefinition, name: string): boolean => command.includes(`hooks/${name}/`)

/** Findings that mean that a deny has no effect. A hook that may fail is not among them. */
const UNHEARD: ReadonlySet<FindingKind> = new Set<FindingKind>(['event', 'prompt-hook', 'first-only', 'gate'])

export interface Unheard {
  readonly hook: HookDefinition
  readonly why: string
}

/** Hooks that must block, and whose deny the newest version would ignore. For older versions the report is enough. */
export const unheardIn = ({ hooks }: Verdicts): Unheard[] =>
  hooks.flatMap(({ subject, found }) => {
    const lost = found.find(isUnheard)
    return lost ? [{ hook: subject.hook, why: `${lost.what} ${lost.fix}` }] : []
  })

const isUnheard = (one: JudgedHook): boolean =>
  isProven(one) && UNHEARD.has(one.kind) && one.versions.includes(NEWEST)

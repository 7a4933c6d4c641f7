// What versions of Cursor make of the hooks, judged as compat does: as if they stood in the target already, behind
// what stands there.

import type { Catalog, HookDefinition, Layer, ProfileName } from '@holdfast/hooks/protocol'
import { SOURCES } from '@holdfast/hooks/protocol'
import { isGuard } from '../compat/finding.js'
import { type Judged, judge, type Kind } from '../compat/judge.js'
import type { Verdicts } from '../compat/report.js'
import { subjectsOf } from '../compat/subjects.js'
import { IN_ORDER, TODAY } from '../profiles/names.js'
import type { Target } from './place.js'
import type { Source } from './source.js'

export const VERSIONS = IN_ORDER.filter(name => name !== TODAY)
const NEWEST: ProfileName = VERSIONS.at(-1)!

export function verdictsOn(source: Source, { level }: Target, { layers }: Pick<Catalog, 'layers'>): Verdicts {
  const { rank } = SOURCES[level]
  const hooks = source.hooks.map((hook): HookDefinition => ({ ...hook, source: level, rank }))
  const around = layers.filter(layer => !SOURCES[layer.source.kind].needsTrust)
  const own = around.find(layer => layer.source.kind === level)!
  const others = own.hooks.filter(hook => !isSame(hook, source.name))
  // That every script is there has been seen; where it lies now is no question of versions.
  const there: Layer = { ...own, state: 'loaded', hooks: [...others, ...hooks], issues: [] }
  const looked = around.map(layer => (layer === own ? there : { ...layer, issues: [] }))
  const subjects = subjectsOf({ root: looked, file: looked }).filter(({ hook }) => hooks.includes(hook))
  const from: Layer = { ...own, state: 'loaded', hooks, issues: [], dropped: 0 }
  return {
    looked: { root: [from], file: [from] },
    profiles: VERSIONS,
    hooks: subjects.map(subject => ({ subject, found: judge(subject, VERSIONS) })),
  }
}

/** Installed earlier. */
const isSame = ({ command = '' }: HookDefinition, name: string): boolean => command.includes(`hooks/${name}/`)

/** Findings that mean that a plain no is not heard. That it may fail, or that others may speak first, is not among them. */
const UNHEARD: ReadonlySet<Kind> = new Set<Kind>([
  'event',
  'prompt-hook',
  'first-only',
  'gate',
  'other-gate',
  'decision',
  'exit-2',
  'exit-after-deny',
  'ask',
])

export interface Unheard {
  readonly hook: HookDefinition
  readonly why: string
}

/** Hooks that the newest version would not obey. Older ones are told about: nobody knows which of them is in use. */
export const unheardIn = ({ hooks }: Verdicts): Unheard[] =>
  hooks.flatMap(({ subject, found }) => {
    const lost = isGuard(subject) ? found.find(isUnheard) : undefined
    return lost ? [{ hook: subject.hook, why: `${lost.what} ${lost.fix}` }] : []
  })

const isUnheard = ({ kind, effect, versions }: Judged): boolean =>
  UNHEARD.has(kind) && effect !== 'differs' && versions.includes(NEWEST)

// Profiles with one field set to its current value. If no case fails, no case checks that field.

import { EVENTS, type EventName } from '../packages/hooks/src/protocol/events.js'
import {
  PROFILES,
  type Profile,
  type ProfileName,
  type RowChange,
} from '../packages/hooks/src/protocol/profiles.js'
import { RESPONSE_FIELDS, type ResponseFieldName } from '../packages/hooks/src/protocol/response-fields.js'

export interface Mutant {
  /** The field: `events.stop.payload.drop.loop_count`. */
  readonly field: string
  readonly profile: Profile
}

type Loose = {
  -readonly [K in keyof Profile]: Profile[K] extends object ? Record<string, unknown> : Profile[K]
}
type Change = (profile: Loose) => void

const TODAY: Profile = PROFILES.holdfast
const GROUPS = ['run', 'answer', 'failure', 'merge'] as const

export function mutantsOf(name: ProfileName): Mutant[] {
  const original: Profile = PROFILES[name]
  const out: Mutant[] = []
  const mutate = (field: string, ...changes: Change[]) => {
    const profile = structuredClone(original) as unknown as Loose
    for (const change of changes) change(profile)
    out.push({ field, profile: profile as unknown as Profile })
  }
  if (original.version !== TODAY.version) {
    mutate('version', profile => {
      profile.version = TODAY.version
    })
  }
  for (const field of TODAY.common.filter(one => !original.common.includes(one))) {
    mutate(`common.${field}`, profile => {
      profile.common = [...original.common, field] as never
    })
  }
  if (original.config.pathBase !== TODAY.config.pathBase) {
    mutate('config.pathBase', profile => {
      profile.config.pathBase = TODAY.config.pathBase
    })
  }
  for (const key of TODAY.config.keys.filter(one => !original.config.keys.includes(one))) {
    // The keys of a prompt hook depend on each other, as do those of an http hook. A limit has no effect if limits are fixed.
    if (key === 'type' || key === 'model' || key === 'headers') continue
    const keys = key === 'prompt' ? ['type', 'prompt', 'model'] : [key]
    mutate(
      `config.keys.${key}`,
      profile => {
        profile.config.keys = [...original.config.keys, ...keys]
      },
      ...(key === 'loop_limit' ? [asToday('run', 'loops')] : []),
    )
  }
  for (const group of GROUPS) {
    for (const key of Object.keys(TODAY[group])) {
      const same =
        (original[group] as Record<string, unknown>)[key] === (TODAY[group] as Record<string, unknown>)[key]
      if (same) continue
      // The effect of a crash is set twice: for the version, and for the two events that fail closed now.
      const also = group === 'failure' && key === 'crash' ? [withoutRows(original, 'failure')] : []
      mutate(`${group}.${key}`, asToday(group, key), ...also)
    }
  }
  for (const [event, row] of Object.entries(original.events) as [EventName, RowChange][])
    rowMutants(event, row, mutate)
  return out
}

const asToday =
  (group: (typeof GROUPS)[number], key: string): Change =>
  profile => {
    profile[group][key] = (TODAY[group] as Record<string, unknown>)[key]
  }

const withoutRows =
  (original: Profile, key: keyof RowChange): Change =>
  profile => {
    for (const event of Object.keys(original.events)) delete rowOf(profile, event)[key]
  }

const rowOf = (profile: Loose, event: string) => profile.events[event] as Record<string, unknown>

function rowMutants(
  event: EventName,
  row: RowChange,
  mutate: (field: string, ...changes: Change[]) => void,
): void {
  const field = `events.${event}`
  const without =
    (...keys: string[]): Change =>
    profile => {
      for (const key of keys) delete rowOf(profile, event)[key]
    }
  if (row.ask) mutate(`${field}.ask`, without('ask'))
  if (row.failure) mutate(`${field}.failure`, without('failure'), asToday('failure', 'crash'))
  // An event that cannot be stopped ignores the fields that would stop it.
  if (row.gate) mutate(`${field}.gate`, without('gate', 'honours'))
  if (row.honours) {
    const all = Object.keys(EVENTS[event].answer) as ResponseFieldName[]
    for (const name of all.filter(one => one in RESPONSE_FIELDS && !row.honours!.includes(one))) {
      const also = row.gate && name === 'continue' ? [without('gate')] : []
      mutate(`${field}.honours.${name}`, ...also, profile => {
        rowOf(profile, event).honours = [...row.honours!, name]
      })
    }
  }
  const payload = row.payload ?? {}
  const list = (key: 'drop' | 'keep' | 'seconds') => {
    for (const name of payload[key] ?? []) {
      mutate(`${field}.payload.${key}.${name}`, profile => {
        rowOf(profile, event).payload = { ...payload, [key]: payload[key]!.filter(one => one !== name) }
      })
    }
  }
  list('drop')
  list('keep')
  list('seconds')
  for (const name of Object.keys(payload.rename ?? {})) {
    mutate(`${field}.payload.rename.${name}`, profile => {
      const { [name]: _, ...rename } = payload.rename!
      rowOf(profile, event).payload = { ...payload, rename }
    })
  }
  if (payload.attachmentKey) {
    mutate(`${field}.payload.attachmentKey`, profile => {
      const { attachmentKey: _, ...rest } = payload
      rowOf(profile, event).payload = rest
    })
  }
}

// Differences between the payload in one version and the current one: names, units, and missing fields.

import type { Event } from '@holdfast/hooks/protocol'

export interface Received {
  /** Current name → the name in the version. */
  readonly renamed: Readonly<Record<string, string>>
  /** Fields of the event itself that are not sent. */
  readonly missing: readonly string[]
  /** Fields that every event has today. */
  readonly missingCommon: readonly string[]
  readonly extra: readonly string[]
  /** In seconds instead of milliseconds. */
  readonly seconds: readonly string[]
  readonly attachmentKey: string | null
}

export function received({ spec, profile, payload, fields }: Event): Received {
  const change = profile.events[spec.name]?.payload ?? {}
  const renamed = Object.fromEntries(Object.entries(change.rename ?? {}).filter(([name]) => name in fields))
  const lost = Object.keys(fields).filter(name => !(name in payload) && !(name in renamed))
  const isOwn = (name: string) => Object.hasOwn(spec.payload, name)
  const newNames = new Set(Object.values(renamed))
  return {
    renamed,
    missing: lost.filter(isOwn),
    missingCommon: lost.filter(name => !isOwn(name)),
    extra: Object.keys(payload).filter(name => !(name in fields) && !newNames.has(name)),
    seconds: (change.seconds ?? []).filter(name => name in fields),
    attachmentKey: change.attachmentKey ?? null,
  }
}

/** For a cell of a table. */
export function receivedWords({ renamed, missing, extra, seconds, attachmentKey }: Received): string {
  const said = [
    ...Object.entries(renamed).map(([name, there]) => `${there} for ${name}`),
    ...(missing.length > 0 ? [`no ${missing.join(', ')}`] : []),
    ...extra.map(name => `also ${name}`),
    ...seconds.map(name => `${name} in seconds`),
    ...(attachmentKey === null ? [] : [`${attachmentKey} in attachments`]),
  ]
  return said.length === 0 ? 'as today' : said.join('; ')
}

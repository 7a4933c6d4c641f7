// The manifest that the engine reads. It is derived from the release alone, so that a change of it can be detected.

import { isFor, type OperatingSystem, type ReleasePayload, type SignedHook } from './release.js'

/** As seen from a folder of the store. */
const QUEUE = '../../queue'

export function manifestOf(release: ReleasePayload, system: OperatingSystem): Buffer {
  const hooks = release.hooks.filter(hook => isFor(hook, system)).map(entryOf)
  return jsonBytes({
    team: release.team_id,
    release: release.release,
    records: release.records,
    queue: QUEUE,
    hooks,
  })
}

/** A set without hooks is a set, too: the engine that must have one has it. */
export const killedManifest = (teamId: string, release: number): Buffer =>
  jsonBytes({ team: teamId, release, killed: true, records: 'managed', queue: QUEUE, hooks: [] })

/** Names for people stay in the release. */
function entryOf({ name: _, size: __, ...fields }: SignedHook): object {
  return { ...fields, is_active: true }
}

export const jsonBytes = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

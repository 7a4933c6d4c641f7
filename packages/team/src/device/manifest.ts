// What the engine reads. Made from the release alone, so that whoever has the release can tell whether it was changed.

import { isFor, type OperatingSystem, type ReleasePayload, type SignedHook } from '../seal/release.js'
import { jsonBytes } from './disk.js'

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

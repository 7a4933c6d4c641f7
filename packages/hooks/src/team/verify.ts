// Verifies the managed folder of a team when the engine loads it, with the fingerprint that was pinned at enrolment.
//
// The folder belongs to the user, so any program of the user, the guarded agent included, can write to it.
// Detected: a changed manifest, script, release or root metadata; a file beside them; a link to another folder, to an
// older release or to none; a chain of root metadata that was cut.
// Not detected, because the pin itself is in the same folder: a folder that was removed together with the file
// `enrolled_<team>` beside it; a folder that was replaced completely, with an enrolment, keys and releases of the
// attacker; an older release together with the state file of that time. The server notices these: the device stops
// reporting, or reports another release. Expired leases and the kill switch are the device client's job.

import { type BigIntStats, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isFolder, listFolder, lstatOf, readFile } from '../config/file.js'
import { Turns } from '../config/turns.js'
import { checkFolder, checkScript, readSigned, type SetProblem, scriptsOf } from './bundle.js'
import { LARGEST_ENROLMENT, loadEnrolment, type Place, readJson, systemOf } from './place.js'
import { loadTrust } from './root-metadata.js'

export type Verification =
  | {
      readonly kind: 'verified'
      readonly manifest: { readonly bytes: Buffer; readonly stats: BigIntStats }
      /** The folder and the scripts by path, as they were before they were listed and hashed. */
      readonly files: ReadonlyMap<string, { readonly stats: BigIntStats; readonly sha256: string }>
      /** Killed, and the root metadata does not let that satisfy an engine that requires the team. */
      readonly isSwitchedOff: boolean
    }
  /** No enrolment set up this folder. */
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'unverified' | 'unreadable'; readonly reason: string }

/** `folder`: the target of the link `hooks`; undefined if it leads nowhere or does not exist. */
export async function verifyTeam(
  place: Place,
  folder: string | undefined,
  platform: NodeJS.Platform,
): Promise<Verification> {
  const enrolment = loadEnrolment(place)
  if (!enrolment) return judgeMissing(place)
  if (!folder) {
    const isLink = lstatOf(place.hooks) !== undefined
    if (isLink) return unverified(`${place.hooks} is a link that leads nowhere`)
    return isBeforeFirst(place) ? { kind: 'unsigned' } : unverified(`${place.hooks} is missing`)
  }
  const trust = loadTrust(place, enrolment.fingerprint)
  const teamId = trust.trust?.team_id
  if (!trust.trust)
    return unverified(`the keys in ${place.trust} are not those that were pinned at enrolment`)
  if (teamId !== enrolment.team_id || !place.folder.endsWith(`team_${teamId}`))
    return unverified(`${place.folder} belongs to the team ${teamId}`)
  const name = nameInStore(place, folder)
  if (name === undefined) return unverified(`${place.hooks} leads to ${folder}`)
  const system = systemOf(platform)
  const viewer = { store: dirname(folder), trust, deviceId: enrolment.device_id, system, platform }
  const set = readSigned(name, viewer, 'needed')
  if ('problem' in set.manifest) return failed(set.manifest)
  const stale = stateProblem(place, name, trust.trust.version)
  if (stale) return unverified(stale)
  const listed = checkFolder(folder, set, viewer)
  if ('problem' in listed) return failed(listed)
  const turns = new Turns()
  const files = new Map([[folder, { stats: listed.stats, sha256: '' }]])
  for (const hook of scriptsOf(set, viewer)) {
    const path = join(folder, hook.script_name)
    if (files.has(path)) continue
    await turns.giveWay()
    const checked = checkScript(folder, hook, viewer)
    if ('problem' in checked) return failed(checked)
    files.set(path, { stats: checked.stats, sha256: hook.sha256 })
  }
  const isSwitchedOff = set.killed && trust.trust.kill_satisfies_required !== true
  return { kind: 'verified', manifest: set.manifest, files, isSwitchedOff }
}

const unverified = (reason: string): Verification => ({ kind: 'unverified', reason })

const failed = ({ problem, isUnreadable }: SetProblem): Verification => ({
  kind: isUnreadable ? 'unreadable' : 'unverified',
  reason: problem,
})

/** Whether a file outside the folder shows that this device belongs to the team. */
export const isEnrolled = ({ enrolled }: Place): boolean => lstatOf(enrolled) !== undefined

/** Without an enrolment, the other files show whether there was one before. */
function judgeMissing(place: Place): Verification {
  const { kind } = readFile(place.enrolment, LARGEST_ENROLMENT, 'no-links')
  if (kind === 'unreadable') return { kind, reason: `${place.enrolment} cannot be read` }
  if (kind !== 'absent') return unverified(`${place.enrolment} is not an enrolment`)
  return isFolder(place.trust) || isEnrolled(place)
    ? unverified(`${place.enrolment} is missing`)
    : { kind: 'unsigned' }
}

/** No link is normal until the device has accepted its first release. */
function isBeforeFirst(place: Place): boolean {
  const state = readJson(place.state)
  if (!state) return listFolder(place.store).every(name => name.startsWith('.'))
  return state.current === '' || state.switching === true
}

function nameInStore(place: Place, folder: string): string | undefined {
  try {
    const name = relative(realpathSync.native(place.store), folder)
    return /^[\w-]+$/.test(name) ? name : undefined
  } catch {
    return undefined
  }
}

/**
 * The device writes its state before it replaces the link, so a set that the state does not name was put there by another
 * program. While the device switches, the set before is valid, too.
 */
function stateProblem(place: Place, name: string, version: number): string | undefined {
  const state = readJson(place.state)
  const { current, previous, switching, mark } = state ?? {}
  const known = (mark as { trust_version?: unknown } | undefined)?.trust_version
  if (typeof current !== 'string' || typeof known !== 'number') return `${place.state} is missing or damaged`
  if (version < known)
    return `${place.trust} ends at version ${version}; this device has had version ${known}`
  if (name === current || (switching === true && name === previous)) return undefined
  return `${place.hooks} leads to ${name}, and this device accepted ${current || 'no release'} last`
}

/** Whether records can be queued for this team: its queue is a folder, and not a link to elsewhere. */
export const hasQueue = (place: Place): boolean => isFolder(place.queue)

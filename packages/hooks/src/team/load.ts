// Loads the managed folder of a team: a manifest, and the scripts beside it. Nothing of the folder is used before it is
// verified against the keys that were pinned at enrolment. `hooks` may be a link to one release that is replaced at any
// moment. It is resolved once, so that a manifest is never combined with a script of another release.

import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ABSENT, FAILED, type Loaded, openDocument } from '../config/entry.js'
import { isFolder, lstatOf, reasonOf, storeReading, storeReadingAs } from '../config/file.js'
import { type JsonObject, parseJson } from '../config/json.js'
import type { Report } from '../config/report.js'
import type { Source, Team } from '../protocol/config.js'
import { readManifest } from './manifest.js'
import { placeOf } from './place.js'
import { hasQueue, isEnrolled, type Verification, verifyTeam } from './verify.js'

export interface TeamOptions {
  readonly platform: NodeJS.Platform
  readonly home: string
  readonly trustUnsignedTeams?: boolean
}

export interface LoadedTeam extends Loaded {
  /** The folder of the release. */
  readonly cwd?: string
  readonly team?: Team
  /** The folder is not what was signed: its earlier hooks must not stay either. */
  readonly isUnverified?: boolean
  readonly verified?: Extract<Verification, { kind: 'verified' }>['files']
}

export async function loadTeam(
  source: Source,
  report: Report,
  { platform, home, trustUnsignedTeams }: TeamOptions,
): Promise<LoadedTeam> {
  const target = followLink(source, report)
  if (target.state === 'failed') return FAILED
  const place = placeOf(home, basename(dirname(source.cwd)).replace(/^team_/, ''))
  if (target.state === 'absent' && !isEnrolled(place) && !isFolder(place.folder)) return ABSENT
  const folder = target.state === 'present' ? target.folder : undefined
  const verified = await verifyTeam(place, folder, platform)
  if (verified.kind === 'unreadable') {
    report.error('config/manifest', { message: `The managed folder cannot be read: ${verified.reason}.` })
    return FAILED
  }
  if (verified.kind === 'unverified') {
    const queue = hasQueue(place) ? { queue: place.queue } : {}
    return { ...reject(report, verified.reason), team: { isVerified: false, records: 'managed', ...queue } }
  }
  if (target.state === 'dangling') {
    report.error('config/manifest', { message: 'The managed folder is a link that leads nowhere.' })
    return FAILED
  }
  if (folder === undefined) return ABSENT
  const root = openManifest(source, folder, verified, report)
  if ('state' in root && root.state === 'absent') return ABSENT
  if (verified.kind === 'unsigned' && !trustUnsignedTeams)
    return reject(report, 'no enrolment belongs to it, so it is not signed')
  if ('state' in root) return root
  const isVerified = verified.kind === 'verified'
  const manifest = readManifest(root, { shown: source.cwd, folder, platform, isVerified }, report)
  if (!manifest) return FAILED
  if (!isVerified) return { state: 'loaded', ...manifest, cwd: folder }
  const team = { ...manifest.team, isSwitchedOff: verified.isSwitchedOff }
  return { state: 'loaded', ...manifest, team, cwd: folder, verified: verified.files }
}

function reject(report: Report, reason: string): LoadedTeam {
  report.error('config/manifest-unverified', {
    message: `The managed folder cannot be verified: ${reason}. Its hooks do not run.`,
  })
  return { ...FAILED, isUnverified: true }
}

/** Of a verified folder exactly the bytes that were verified, even if the file changed since. */
function openManifest(
  source: Source,
  folder: string,
  verified: Verification,
  report: Report,
): JsonObject | Loaded {
  if (verified.kind !== 'verified') {
    const file = join(folder, 'manifest.json')
    const root = openDocument(file, report, 'config/manifest')
    storeReadingAs(source.file, file)
    return root
  }
  const { bytes, stats } = verified.manifest
  storeReading(source.file, stats)
  const parsed = parseJson(bytes.toString('utf8'))
  return parsed.ok && parsed.root.kind === 'object' ? parsed.root : FAILED
}

type Target =
  | { readonly state: 'present'; readonly folder: string }
  | { readonly state: 'absent' | 'dangling' | 'failed' }

/** A link that leads nowhere does not mean that the user left the team. */
function followLink({ cwd, file }: Source, report: Report): Target {
  try {
    return { state: 'present', folder: realpathSync.native(cwd) }
  } catch (error) {
    storeReading(file, undefined)
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: lstatOf(cwd) ? 'dangling' : 'absent' }
    report.error('config/manifest', { message: `The file cannot be read: ${reasonOf(error)}.` })
    return { state: 'failed' }
  }
}

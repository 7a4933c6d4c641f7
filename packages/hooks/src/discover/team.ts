// The managed folder of a team: a manifest, and the scripts beside it. The folder is verified against the keys that were
// pinned at enrolment before anything of it is used. `hooks` may be a link to one release, and the link may be replaced at
// any moment: it is resolved once, so that the manifest of one release never meets a script of another. People see the
// short name.

import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Source, Team } from '../protocol/config.js'
import type { Verification } from '../team/verify.js'
import type { Draft } from './draft.js'
import { membersOf } from './fields.js'
import { ABSENT, FAILED, type Loaded, openDocument } from './file.js'
import { describe, type Json, within } from './json.js'
import type { DiscoverOptions } from './options.js'
import { parseJson } from './parse.js'
import { reasonOf } from './read.js'
import type { Report } from './report.js'
import { rememberReading, rememberUnder, stampOf } from './stamps.js'
import { readHead } from './team-head.js'
import { readTeamHook } from './team-hook.js'

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: 'Windows', darwin: 'Macintosh' }

export interface FoundTeam extends Loaded {
  readonly cwd?: string
  readonly team?: Team
  /** The folder is not what was signed: earlier hooks of it must not stay either. */
  readonly isUnverified?: boolean
  /** The stamps of the scripts, by path, taken when their bytes were verified. */
  readonly stamps?: ReadonlyMap<string, string>
}

export async function loadTeam(
  source: Source,
  report: Report,
  { platform, home, trustUnsignedTeams }: DiscoverOptions,
): Promise<FoundTeam> {
  const followed = follow(source, report)
  if (followed.state === 'failed') return FAILED
  if (followed.state === 'absent' && !lstatSync(dirname(source.cwd), { throwIfNoEntry: false })) return ABSENT
  // Loaded only where there is a team: what it needs of Node takes milliseconds to load.
  const { hasQueue, placeOf, verifyTeam } = await import('../team/verify.js')
  const place = placeOf(home, basename(dirname(source.cwd)).replace(/^team_/, ''))
  const folder = followed.state === 'there' ? followed.folder : undefined
  const verified = await verifyTeam(place, folder, platform)
  if (verified.kind === 'unreadable') {
    report.error('config/manifest', { message: `The managed folder cannot be read: ${verified.reason}.` })
    return FAILED
  }
  if (verified.kind === 'unverified') {
    const queue = hasQueue(place) ? { queue: place.queue } : {}
    const team: Team = { isVerified: false, records: 'managed', ...queue }
    return { ...refuse(report, verified.reason), team }
  }
  if (followed.state === 'dangling') {
    report.error('config/manifest', { message: 'The managed folder is a link that leads nowhere.' })
    return FAILED
  }
  if (folder === undefined) return ABSENT
  const root = openManifest(source, folder, verified, report)
  if (root === 'absent') return ABSENT
  if (verified.kind === 'unsigned' && !trustUnsignedTeams) {
    return refuse(report, 'no enrolment belongs to it, so it is not signed')
  }
  if (root === 'failed') return FAILED
  return readManifest(root, { source, folder, verified, platform }, report)
}

function refuse(report: Report, reason: string): FoundTeam {
  report.error('config/manifest-unverified', {
    message: `The managed folder cannot be verified: ${reason}. Its hooks do not run.`,
  })
  return { ...FAILED, isUnverified: true }
}

/** Of a verified folder exactly the bytes that were verified, whatever is on the disk by now. */
function openManifest(source: Source, folder: string, verified: Verification, report: Report) {
  if (verified.kind !== 'verified') {
    const file = join(folder, 'manifest.json')
    const root = openDocument(file, report, 'config/manifest')
    rememberUnder(source.file, file)
    return root
  }
  const { bytes, stats } = verified.manifest
  rememberReading(source.file, stats)
  const parsed = parseJson(bytes.toString('utf8'))
  return parsed.ok ? parsed.root : 'failed'
}

interface Manifest {
  readonly source: Source
  readonly folder: string
  readonly verified: Verification
  readonly platform: NodeJS.Platform
}

function readManifest(
  root: Json,
  { source, folder, verified, platform }: Manifest,
  report: Report,
): FoundTeam {
  const members = root.kind === 'object' ? membersOf(root, '', report) : undefined
  const list = members?.get('hooks')
  if (!members || list?.value.kind !== 'array') {
    const message = list
      ? `"hooks" is ${describe(list.value)}; expected an array.`
      : 'The manifest has no "hooks".'
    report.error('config/manifest', {
      place: (list?.value ?? root).place,
      path: list ? 'hooks' : '',
      message,
    })
    return FAILED
  }
  const isVerified = verified.kind === 'verified'
  const head = readHead(members, { shown: source.cwd, folder }, report)
  const team = { isVerified, ...head }
  const system = SYSTEMS[platform] ?? 'Linux'
  const here = { shown: source.cwd, folder, system, release: team.release, isVerified }
  const drafts: Draft[] = []
  let dropped = 0
  list.value.items.forEach((item, index) => {
    const result = readTeamHook(item, within('hooks', index), here, report)
    if (result === 'dropped') dropped++
    else if (result !== 'not-for-us') drafts.push(result)
  })
  const scripts = isVerified ? [...verified.scripts] : []
  const stamps = new Map(scripts.map(([path, stats]) => [path, stampOf(stats)]))
  return { state: 'loaded', drafts, dropped, cwd: folder, team, ...(isVerified && { stamps }) }
}

type Followed =
  | { readonly state: 'there'; readonly folder: string }
  | { readonly state: 'absent' | 'dangling' | 'failed' }

/** A link that leads nowhere is not a team that was left. */
function follow({ cwd, file }: Source, report: Report): Followed {
  try {
    return { state: 'there', folder: realpathSync.native(cwd) }
  } catch (error) {
    rememberReading(file, undefined)
    const { code } = error as NodeJS.ErrnoException
    const isGone = code === 'ENOENT' || code === 'ENOTDIR'
    if (isGone) return { state: lstatSync(cwd, { throwIfNoEntry: false }) ? 'dangling' : 'absent' }
    report.error('config/manifest', { message: `The file cannot be read: ${reasonOf(error)}.` })
    return { state: 'failed' }
  }
}

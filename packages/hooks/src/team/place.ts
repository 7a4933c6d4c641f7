// The files of a team under ~/.cursor/managed. Any program of the user may have written them, so they are read without
// following links, up to a limit, and without throwing. Imported by every engine: it must not import node:crypto.

import { posix, win32 } from 'node:path'
import { lstatOf, readFile } from '../config/file.js'
import type { OperatingSystem } from './release.js'
import { fit, hex, object, teamId, text, time, type Value } from './shape.js'

export interface Place {
  readonly managed: string
  /** The id of the machine, the same for all teams. */
  readonly device: string
  /** Outside the folder of the team, so that the engine notices if that folder is removed. */
  readonly enrolled: string
  /** Of one team. */
  readonly folder: string
  readonly enrolment: string
  readonly trust: string
  readonly state: string
  readonly store: string
  readonly hooks: string
  readonly queue: string
  readonly lock: string
}

export const managedFolder = (home: string, platform: NodeJS.Platform = process.platform): string =>
  (platform === 'win32' ? win32 : posix).join(home, '.cursor', 'managed')

export function placeOf(home: string, teamId: string): Place {
  const managed = managedFolder(home)
  const { join } = process.platform === 'win32' ? win32 : posix
  const folder = join(managed, `team_${teamId}`)
  const at = (name: string) => join(folder, name)
  return {
    managed,
    device: join(managed, 'device.json'),
    enrolled: join(managed, `enrolled_${teamId}`),
    folder,
    enrolment: at('enrolment.json'),
    trust: at('trust'),
    state: at('state.json'),
    store: at('store'),
    hooks: at('hooks'),
    queue: at('queue'),
    lock: at('lock'),
  }
}

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, OperatingSystem>>> = {
  win32: 'Windows',
  darwin: 'Macintosh',
}

export const systemOf = (platform: NodeJS.Platform): OperatingSystem => SYSTEMS[platform] ?? 'Linux'

/** A link instead of a folder would put the files of a team elsewhere. */
export function folderProblem(
  place: Place,
  paths: readonly string[] = [place.managed, place.folder, place.store, place.trust, place.queue],
): string | undefined {
  for (const path of paths) {
    const stats = lstatOf(path)
    if (stats && !stats.isDirectory()) return `${path} is not a folder; remove it.`
  }
  return undefined
}

/** The bytes of a file of at most `most` bytes; undefined if they cannot be read for any reason. */
export function readPlain(path: string, most: number): Buffer | undefined {
  const file = readFile(path, most, 'no-links')
  return file.kind === 'read' ? file.bytes : undefined
}

/** The object in a JSON file. */
export function readJson(path: string, most = 4 * 1024 * 1024): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(readPlain(path, most)?.toString('utf8') ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const word = text('text', () => true)
const enrolment = object({
  server: text('an address', isAddress),
  team_id: teamId,
  team_name: word,
  device_id: hex(32),
  token: word,
  token_from: time,
  token_until: time,
  fingerprint: hex(64),
  group: word,
  enrolled_at: time,
})

/** The team of this machine, and the fingerprint that was pinned when it joined. */
export type Enrolment = Value<typeof enrolment>

export const LARGEST_ENROLMENT = 64 * 1024

export function loadEnrolment(place: Pick<Place, 'enrolment'>): Enrolment | undefined {
  const file = readPlain(place.enrolment, LARGEST_ENROLMENT)
  const read = file && fit(enrolment, file, 'enrolment')
  return read?.ok ? read.value : undefined
}

export function isAddress(server: string): boolean {
  try {
    const { protocol, search, hash, username } = new URL(server)
    return /^https?:$/.test(protocol) && search + hash + username === ''
  } catch {
    return false
  }
}

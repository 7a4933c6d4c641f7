// A machine joins a team. What is pinned here is all that it will ever believe: the fingerprint of the team's first keys.

import { lstatSync } from 'node:fs'
import { DeviceService } from '../gen/holdfast/team/v1/device_pb.js'
import type { Refusal } from '../seal/refusals.js'
import { fit, hex, isTeamId, isTime, object, type Part, teamId, text, time } from '../seal/shape.js'
import { fingerprintOf, walkTrust } from '../seal/trust.js'
import type { Around } from './around.js'
import { deviceIdOf } from './device-id.js'
import { type Disk, jsonBytes, listFolder, openDisk, readPlain } from './disk.js'
import { loadTrust, saveTrust } from './kept-trust.js'
import { managedFolder, type Place, placeOf } from './place.js'
import { type Problem, type ProblemCode, reasonOf } from './problems.js'
import { CallError, call } from './rpc.js'

export interface Enrolment {
  readonly server: string
  readonly team_id: string
  readonly team_name: string
  readonly device_id: string
  readonly token: string
  readonly token_from: string
  readonly token_until: string
  readonly fingerprint: string
  readonly group: string
  readonly enrolled_at: string
}

export type Proof = { readonly enrolmentKey: string } | { readonly accessToken: string }

export interface EnrolOptions {
  readonly server: string
  readonly proof: Proof
  /** Asked before anything is kept, with the team's name and fingerprint. */
  readonly confirm?: (team: { readonly name: string; readonly fingerprint: string }) => Promise<boolean>
}

export type EnrolResult =
  | { readonly ok: true; readonly enrolment: Enrolment }
  | { readonly ok: false; readonly problem: Problem }
  | { readonly ok: false; readonly declined: true }

const word = text('text', () => true)
const enrolment: Part<Enrolment> = object({
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

export function loadEnrolment(place: Place): Enrolment | undefined {
  const file = readPlain(place.enrolment, 64 * 1024)
  const read = file && fit(enrolment, file, 'enrolment')
  return read?.ok ? read.value : undefined
}

export function saveEnrolment(place: Place, disk: Disk, value: Enrolment): void {
  disk.replace(place.enrolment, jsonBytes(value), 0o600)
}

/** The teams that this machine belongs to. */
export const enrolledTeams = (home: string): string[] =>
  listFolder(managedFolder(home))
    .flatMap(name => /^team_(.+)$/.exec(name)?.[1] ?? [])
    .filter(id => isTeamId(id) && loadEnrolment(placeOf(home, id)) !== undefined)
    .sort()

/** The fingerprint in an enrolment key, whole or its first 24 digits and more. */
export const pinOf = (enrolmentKey: string): string | undefined =>
  /^hfe_[A-Za-z0-9_-]{1,200}_([0-9a-f]{24,64})$/.exec(enrolmentKey)?.[1]

export function isAddress(server: string): boolean {
  try {
    const { protocol, search, hash, username } = new URL(server)
    return /^https?:$/.test(protocol) && search + hash + username === ''
  } catch {
    return false
  }
}

export async function enrol(around: Around, { server, proof, confirm }: EnrolOptions): Promise<EnrolResult> {
  const no = (code: ProblemCode, message: string): EnrolResult => ({
    ok: false,
    problem: { code, message, at: new Date(around.now()).toISOString() },
  })
  if (!isAddress(server)) return no('enrolment', `${JSON.stringify(server)} is not the address of a server.`)
  const pin = 'enrolmentKey' in proof ? pinOf(proof.enrolmentKey) : ''
  if (pin === undefined)
    return no('enrolment', 'This is not an enrolment key: it does not end with a fingerprint.')
  try {
    const disk = openDisk({ ...around, random: around.unique })
    const deviceId = deviceIdOf(around, disk)
    const answer = await call(around, { server }, DeviceService.method.enrol, {
      proof:
        'enrolmentKey' in proof
          ? { case: 'enrolmentKey', value: proof.enrolmentKey }
          : { case: 'accessToken', value: proof.accessToken },
      deviceId,
      facts: around.facts,
    })
    if (answer.kind !== 'answer') return no('answer', 'The server answered without an answer.')
    const { teamId: id, teamName, token, tokenExpiresAt, trust: chain, group } = answer.value
    const first = chain[0]
    if (!isTeamId(id) || token === '' || !first)
      return no('answer', 'The answer lacks the team, its keys or a token.')
    const fingerprint = fingerprintOf(first)
    if (!fingerprint.startsWith(pin)) {
      return no('trust', 'The team of this server is not the one that the enrolment key was made for.')
    }
    const { trust, taken, refusal } = walkTrust(undefined, fingerprint, chain)
    const wrong = refusal ?? teamRefusal(id, trust?.team_id)
    if (wrong) return no(wrong.code, wrong.message)
    const drop = () => call(around, { server, token }, DeviceService.method.leave, {}).catch(() => undefined)
    if (confirm && !(await confirm({ name: teamName, fingerprint }))) {
      await drop()
      return { ok: false, declined: true }
    }
    const place = placeOf(around.home, id)
    const known = loadEnrolment(place)
    if (known && known.fingerprint !== fingerprint) {
      await drop()
      return no(
        'trust',
        `This machine knows a team ${id} with other keys. Leave it first: holdfast team leave`,
      )
    }
    const now = new Date(around.now()).toISOString()
    const value: Enrolment = {
      server,
      team_id: id,
      team_name: teamName,
      device_id: deviceId,
      token,
      token_from: now,
      token_until: isTime(tokenExpiresAt)
        ? tokenExpiresAt
        : new Date(around.now() + 90 * DAY_MS).toISOString(),
      fingerprint,
      group,
      enrolled_at: now,
    }
    disk.folder(place.folder)
    disk.folder(place.queue)
    // A chain that is there already may be longer than what the server shows.
    const kept = loadTrust(place, fingerprint).trust?.version ?? 0
    saveTrust(place, disk, kept, taken.slice(kept))
    saveEnrolment(place, disk, value)
    return { ok: true, enrolment: value }
  } catch (error) {
    if (error instanceof CallError) return no(error.code, error.message)
    return no('disk', reasonOf(error))
  }
}

const DAY_MS = 24 * 3600 * 1000

const teamRefusal = (said: string, signed: string | undefined): Refusal | undefined =>
  said === signed
    ? undefined
    : { code: 'team', message: `The server calls the team ${said}, and its keys call it ${signed}.` }

/** The folder of a team must be a folder: a link would take its files elsewhere. */
export function folderProblem(place: Place): string | undefined {
  for (const path of [place.managed, place.folder, place.store, place.trust, place.queue]) {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats && !stats.isDirectory()) return `${path} is not a folder; remove it.`
  }
  return undefined
}

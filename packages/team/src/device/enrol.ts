// Joins a machine to a team. The fingerprint of the team's first keys is pinned here; the machine trusts nothing else.

import { existsSync } from 'node:fs'
import {
  type Enrolment,
  type Envelope,
  fingerprintOf,
  folderProblem,
  isAddress,
  isTeamId,
  isTime,
  loadTrust,
  lock,
  type Place,
  placeOf,
  verifyTrustChain,
} from '@holdfast/hooks/team'
import { DeviceService, type EnrolResponse } from '../gen/holdfast/team/v1/device_pb.js'
import type { Around } from './around.js'
import { deviceIdOf, newDeviceId } from './device-id.js'
import { type Disk, openDisk } from './disk.js'
import { findEnrolment, saveEnrolment } from './enrolment.js'
import { lookAt } from './holding.js'
import { saveTrust } from './kept-trust.js'
import { type Problem, type ProblemCode, problemAt, reasonOf } from './problems.js'
import { CallError, call } from './rpc.js'
import { saveState } from './state.js'
import { DAY } from './waits.js'

export type Proof = { readonly enrolmentKey: string } | { readonly accessToken: string }

export interface EnrolOptions {
  readonly server: string
  readonly proof: Proof
  /** Asked before anything is stored, with the team's name and fingerprint. */
  readonly confirm?: (team: { readonly name: string; readonly fingerprint: string }) => Promise<boolean>
}

export type EnrolResult =
  /** hasNewId: another device of the team has the id that this machine had, as when a disk was copied. */
  | { readonly ok: true; readonly enrolment: Enrolment; readonly hasNewId: boolean }
  | { readonly ok: false; readonly problem: Problem }
  | { readonly ok: false; readonly declined: true }

/** The fingerprint in an enrolment key, complete or at least its first 24 digits. */
export const pinOf = (enrolmentKey: string): string | undefined =>
  /^hfe_[A-Za-z0-9_-]{1,200}_([0-9a-f]{24,64})$/.exec(enrolmentKey)?.[1]

class NotEnrolled extends Error {
  constructor(
    readonly code: ProblemCode,
    message: string,
  ) {
    super(message)
  }
}

export async function enrol(around: Around, options: EnrolOptions): Promise<EnrolResult> {
  try {
    return await join(around, options)
  } catch (error) {
    const isKnown = error instanceof CallError || error instanceof NotEnrolled
    return { ok: false, problem: problemAt(around, isKnown ? error.code : 'disk', reasonOf(error)) }
  }
}

async function join(around: Around, { server, proof, confirm }: EnrolOptions): Promise<EnrolResult> {
  if (!isAddress(server))
    throw new NotEnrolled('enrolment', `${JSON.stringify(server)} is not the address of a server.`)
  const pin = 'enrolmentKey' in proof ? pinOf(proof.enrolmentKey) : ''
  if (pin === undefined)
    throw new NotEnrolled(
      'enrolment',
      'This is not an enrolment key: those begin with hfe_ and end with a fingerprint. Copy all of it.',
    )
  const disk = openDisk({ ...around, random: around.unique })
  const { said, deviceId, hasNewId } = await ask(around, disk, server, proof)
  // A failed enrolment returns its token.
  const giveBack = () =>
    call(around, { server, token: said.token }, DeviceService.method.leave, {}).catch(() => {})
  try {
    const { fingerprint, taken } = checkKeys(said, pin)
    const place = placeOf(around.home, said.teamId)
    checkPlace(around.home, place, said.teamId, fingerprint)
    if (confirm && !(await confirm({ name: said.teamName, fingerprint }))) {
      await giveBack()
      return { ok: false, declined: true }
    }
    disk.folder(place.folder)
    disk.folder(place.queue)
    const enrolment = enrolmentOf(around, { server, deviceId, fingerprint, said })
    const held = await lock(place.lock, around, 60_000)
    try {
      // An existing chain may be longer than the one that the server shows.
      const kept = loadTrust(place, fingerprint).trust?.version ?? 0
      saveTrust(place, disk, kept, taken.slice(kept))
      saveEnrolment(place, disk, enrolment)
      forgetTalks(around, place, disk, enrolment)
    } finally {
      held?.release()
    }
    return { ok: true, enrolment, hasNewId }
  } catch (error) {
    await giveBack()
    throw error
  }
}

interface Asked {
  readonly said: EnrolResponse
  readonly deviceId: string
  readonly hasNewId: boolean
}

/** After a copied disk or a restored home, the id belongs to another machine: this one gets a new id, once. */
async function ask(around: Around, disk: Disk, server: string, proof: Proof): Promise<Asked> {
  const first = deviceIdOf(around, disk)
  const asWith = async (deviceId: string): Promise<Asked> => {
    const answer = await call(around, { server }, DeviceService.method.enrol, {
      proof:
        'enrolmentKey' in proof
          ? { case: 'enrolmentKey', value: proof.enrolmentKey }
          : { case: 'accessToken', value: proof.accessToken },
      deviceId,
      facts: around.facts,
    })
    if (answer.kind !== 'answer') throw new NotEnrolled('answer', 'The server sent an empty response.')
    return { said: answer.value, deviceId, hasNewId: deviceId !== first }
  }
  try {
    return await asWith(first)
  } catch (error) {
    if (!(error instanceof CallError) || error.rpcCode !== 'already_exists') throw error
    return asWith(newDeviceId(around, disk, first))
  }
}

/** State of an earlier enrolment does not apply: everything is requested and reported again. */
function forgetTalks(around: Around, place: Place, disk: Disk, enrolment: Enrolment): void {
  if (!existsSync(place.state)) return
  const { state } = lookAt(place, around, enrolment)
  saveState(place, disk, { ...state, etag: '', told: '' })
}

/** The response of the server is checked against the enrolment key, and for consistency. */
function checkKeys(said: EnrolResponse, pin: string): { fingerprint: string; taken: readonly Envelope[] } {
  const [first] = said.trust
  if (!isTeamId(said.teamId) || said.token === '' || !first)
    throw new NotEnrolled('answer', 'The answer lacks the team, its keys or a token.')
  const fingerprint = fingerprintOf(first)
  if (!fingerprint.startsWith(pin))
    throw new NotEnrolled(
      'trust',
      'The team of this server is not the one that the enrolment key was made for.',
    )
  const { trust, taken, refusal } = verifyTrustChain(undefined, fingerprint, said.trust)
  if (refusal) throw new NotEnrolled(refusal.code, refusal.message)
  if (trust?.team_id !== said.teamId)
    throw new NotEnrolled(
      'team',
      `The server calls the team ${said.teamId}, and its keys call it ${trust?.team_id}.`,
    )
  return { fingerprint, taken }
}

function checkPlace(home: string, place: Place, teamId: string, fingerprint: string): void {
  const inTheWay = folderProblem(place)
  if (inTheWay) throw new NotEnrolled('tampered', inTheWay)
  const known = findEnrolment(home, teamId)
  if (known && known.fingerprint !== fingerprint)
    throw new NotEnrolled(
      'trust',
      `This machine knows a team ${teamId} with other keys. Leave that one first.`,
    )
}

interface Joined {
  readonly server: string
  readonly deviceId: string
  readonly fingerprint: string
  readonly said: EnrolResponse
}

function enrolmentOf({ now }: Around, { server, deviceId, fingerprint, said }: Joined): Enrolment {
  const at = new Date(now()).toISOString()
  return {
    server: server.replace(/\/+$/, ''),
    team_id: said.teamId,
    team_name: said.teamName,
    device_id: deviceId,
    token: said.token,
    token_from: at,
    token_until: isTime(said.tokenExpiresAt) ? said.tokenExpiresAt : new Date(now() + USUAL_MS).toISOString(),
    fingerprint,
    group: said.group,
    enrolled_at: at,
  }
}
/** A server that reports no expiry of its token. */
const USUAL_MS = 90 * DAY

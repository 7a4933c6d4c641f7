// The steps of a release after its creation: sign, advance, halt, resume.

import { type Envelope, type EnvelopeSignature, envelopeRejection, keysOf } from '@holdfast/team'
import type { Actor, Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { toNote } from '../note.js'
import { RequestError } from '../request-error.js'
import { isAtLeast } from '../roles.js'
import { deleteEvidence } from '../store/evidence.js'
import type { Tx } from '../store/open.js'
import { newestIn, updateRelease } from '../store/releases.js'
import type { ReleaseRow } from '../store/schema.js'
import { oneAtATime, settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import { trustIn } from './keys.js'
import { envelopeIn, isSigned, mustNotWait, releaseOf, signaturesWith } from './releases.js'
import { assignMembers } from './rings.js'

/** A signature from an admin's machine for a waiting release. */
export async function signRelease(
  team: Team,
  actor: Person,
  number: number,
  signature: EnvelopeSignature,
): Promise<ReleaseRow> {
  const release = await team.store.write(async tx => {
    await oneAtATime(tx)
    const row = await releaseOf(tx, number)
    const trust = await trustIn(tx)
    const wanted = { type: 'release', keys: keysOf(trust.release_keys) } as const
    // After a change of the release key, published releases need its signature before more devices take them.
    const isOut = isSigned(row) && envelopeRejection(envelopeIn(row), wanted) !== undefined
    if (!isOut && row.state !== 'unsigned')
      throw new RequestError('not-now', `Release ${number} is ${row.state}, and signed.`)
    if (!isOut && row.epoch < trust.epoch) {
      throw new RequestError(
        'not-now',
        `Release ${number} was made before the numbers were reset. Halt it, and publish again.`,
      )
    }
    const envelope: Envelope = {
      type: 'release',
      payload: new Uint8Array(row.payload),
      signatures: [signature],
    }
    const refusal = envelopeRejection(envelope, wanted)
    if (refusal) throw new RequestError('invalid', refusal.message)
    const { rings } = await settingsIn(tx)
    const isAtOnce = row.ring === rings.length - 1
    const now = team.now()
    await update(tx, row, {
      ...(isOut ? {} : { state: isAtOnce ? 'done' : 'rolling', ring_since: now }),
      signatures: signaturesWith(envelopeIn(row), signature),
    })
    if (!isOut) await assignMembers(tx, number, now)
    await append(tx, actor, now, {
      action: 'release.sign',
      subject: `release ${number}`,
      detail: { key: signature.keyId },
    })
    return releaseOf(tx, number)
  })
  team.hub.changed('releases')
  return release
}

export type Step = 'advance' | 'halt' | 'resume'

/** A device that caused a halt, with its counts at that time. */
export interface HaltCause {
  readonly id: string
  readonly name: string
  readonly runs: number
  readonly failures: number
  readonly denials: number
}

export interface StepOptions {
  readonly reason?: string
  readonly by?: readonly HaltCause[]
  /** The state that the user saw; a release that has changed since is left alone. */
  readonly generation?: number
  readonly fromRing?: number | undefined
}

/** Moves a release along. Called by users, and by the server if the evidence is clear. */
export async function stepRelease(
  team: Team,
  actor: Actor | 'server',
  number: number,
  step: Step,
  { reason: said = '', by = [], generation, fromRing }: StepOptions = {},
): Promise<ReleaseRow> {
  const reason = toNote('reason', said)
  const make = async (tx: Tx, requested: object = {}) => {
    const row = await releaseOf(tx, number)
    // Two processes with the same evidence act once.
    if (generation !== undefined && row.generation !== generation) return row
    const { rings } = await settingsIn(tx)
    const now = team.now()
    const last = rings.length - 1
    if (step === 'advance') {
      if (row.state !== 'rolling')
        throw new RequestError('not-now', `Release ${number} is ${row.state}; only a rolling one advances.`)
      const newer = await newestIn(tx, 'done')
      if (newer > number)
        throw new RequestError('not-now', `Release ${newer} has replaced release ${number} on all devices.`)
      if (fromRing !== undefined && row.ring !== fromRing)
        throw new RequestError('stale', `Release ${number} has left that ring already. Reload the page.`)
      const ring = Math.min(row.ring + 1, last)
      await update(tx, row, { ring, ring_since: now, state: ring === last ? 'done' : 'rolling' })
    } else if (step === 'halt') {
      if (row.state === 'halted') throw new RequestError('not-now', `Release ${number} is halted already.`)
      await update(tx, row, { state: 'halted', halted_because: reason, halt_causes: JSON.stringify(by) })
    } else {
      if (row.state !== 'halted')
        throw new RequestError('not-now', `Release ${number} is ${row.state}, and not halted.`)
      if (!isSigned(row)) await mustNotWait(tx)
      await update(tx, row, {
        state: isSigned(row) ? (row.ring === last ? 'done' : 'rolling') : 'unsigned',
        halted_because: '',
        halt_causes: '[]',
        ring_since: now,
      })
      // Evidence from before the halt must not halt it again.
      await deleteEvidence(tx, number)
    }
    const after = await releaseOf(tx, number)
    await append(tx, actor, now, {
      action: `release.${step}`,
      subject: `release ${number}`,
      detail: {
        ring: rings[after.ring]?.name ?? '',
        state: after.state,
        ...(reason === '' ? {} : { reason }),
        ...(by.length === 0 ? {} : { by }),
        ...requested,
      },
    })
    return after
  }
  // Halting a rollout is safe, and advancing one only continues what two people have decided. Halting a release that
  // every device has sends all of them back, as a roll-back does.
  const isPerson = actor !== 'server' && actor.kind === 'person'
  const isForAll = step === 'halt' && (await releaseOf(team.store.db, number)).state === 'done'
  if (isPerson && isForAll && !isAtLeast(actor.role, 'admin'))
    throw new RequestError(
      'forbidden',
      `Every device has release ${number}. Halting it needs the role admin; yours is ${actor.role}.`,
    )
  const change = {
    method: step === 'halt' ? 'RolloutService/Halt' : 'RolloutService/Resume',
    subject: `release ${number}`,
    wish: {},
    call: step === 'halt' ? { number, reason } : { number },
  }
  const release =
    isPerson && (step === 'resume' || isForAll)
      ? await withSecondPerson(team, actor, change, make)
      : await team.store.write(async tx => {
          await oneAtATime(tx)
          if (isPerson && step === 'halt' && (await releaseOf(tx, number)).state === 'done')
            throw new RequestError('stale', `Every device has release ${number} by now. Reload the page.`)
          return make(tx)
        })
  team.hub.changed('releases')
  return release
}

const update = (tx: Tx, row: ReleaseRow, fields: Partial<ReleaseRow>) =>
  updateRelease(tx, row.number, { ...fields, generation: row.generation + 1 })

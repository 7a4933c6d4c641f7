// What becomes of a release once it is made: signed, let on, halted, resumed.

import { keysOf, type Sealed, type SealSignature, sealRefusal } from '@holdfast/team'
import type { Actor, Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { toNote } from '../note.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'
import type { ReleaseRow } from '../store/schema.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { withSecondPerson } from './four-eyes.js'
import { trustIn } from './keys.js'
import { isSigned, mustNotWait, releaseOf, sealIn, signaturesWith } from './releases.js'
import { deal } from './rings.js'
import { settingsIn } from './settings.js'

/** The signature of an admin's machine under a release that waits for it. */
export async function signRelease(
  team: Team,
  actor: Person,
  number: number,
  signature: SealSignature,
): Promise<ReleaseRow> {
  const release = await team.store.write(async tx => {
    await oneAtATime(tx)
    const row = await releaseOf(tx, number)
    const trust = await trustIn(tx)
    const wanted = { type: 'release', keys: keysOf(trust.release_keys) } as const
    // With a new release key, what is out needs its signature before more devices take it.
    const isOut = isSigned(row) && sealRefusal(sealIn(row), wanted) !== undefined
    if (!isOut && row.state !== 'unsigned')
      throw new Refusal('not-now', `Release ${number} is ${row.state}, and signed.`)
    if (!isOut && row.epoch < trust.epoch) {
      throw new Refusal(
        'not-now',
        `Release ${number} was made before the numbering began anew. Halt it, and publish again.`,
      )
    }
    const sealed: Sealed = { type: 'release', payload: new Uint8Array(row.payload), signatures: [signature] }
    const refusal = sealRefusal(sealed, wanted)
    if (refusal) throw new Refusal('invalid', refusal.message)
    const { rings } = await settingsIn(tx)
    const isAtOnce = row.ring === rings.length - 1
    const now = team.now()
    await update(tx, row, {
      ...(isOut ? {} : { state: isAtOnce ? 'done' : 'rolling', ring_since: now }),
      signatures: signaturesWith(sealIn(row), signature),
    })
    if (!isOut && !isAtOnce) await deal(tx, number, now)
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

/** A device that made the server halt a release, as it had shown itself then. */
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
  /** As it was when somebody looked; a release that has changed meanwhile is left alone. */
  readonly generation?: number
  readonly fromRing?: number | undefined
}

/** Moves a release along. By people, and by the server itself when the evidence is clear. */
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
    // Two processes that saw the same evidence act once.
    if (generation !== undefined && row.generation !== generation) return row
    const { rings } = await settingsIn(tx)
    const now = team.now()
    const last = rings.length - 1
    if (step === 'advance') {
      if (row.state !== 'rolling')
        throw new Refusal('not-now', `Release ${number} is ${row.state}; only a rolling one advances.`)
      if (fromRing !== undefined && row.ring !== fromRing)
        throw new Refusal('stale', `Release ${number} has left that ring already. Look again.`)
      const ring = Math.min(row.ring + 1, last)
      await update(tx, row, { ring, ring_since: now, state: ring === last ? 'done' : 'rolling' })
    } else if (step === 'halt') {
      if (row.state === 'halted') throw new Refusal('not-now', `Release ${number} is halted already.`)
      await update(tx, row, { state: 'halted', halted_because: reason, halt_causes: JSON.stringify(by) })
    } else {
      if (row.state !== 'halted')
        throw new Refusal('not-now', `Release ${number} is ${row.state}, and not halted.`)
      if (!isSigned(row)) await mustNotWait(tx)
      await update(tx, row, {
        state: isSigned(row) ? (row.ring === last ? 'done' : 'rolling') : 'unsigned',
        halted_because: '',
        halt_causes: '[]',
        ring_since: now,
      })
      // What was seen before it was halted must not halt it again.
      await tx.deleteFrom('evidence').where('release', '=', number).execute()
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
  // To halt a release is safe, and to advance one only goes on with what two people have decided.
  const change = { method: 'RolloutService/Resume', subject: `release ${number}`, wish: {} }
  const release =
    step === 'resume' && actor !== 'server' && actor.kind === 'person'
      ? await withSecondPerson(team, actor, change, make)
      : await team.store.write(async tx => {
          await oneAtATime(tx)
          return make(tx)
        })
  team.hub.changed('releases')
  return release
}

const update = (tx: Tx, row: ReleaseRow, fields: Partial<ReleaseRow>) =>
  tx
    .updateTable('releases')
    .set({ ...fields, generation: row.generation + 1 })
    .where('number', '=', row.number)
    .execute()

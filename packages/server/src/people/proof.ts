// The credential that a device presents to enrol, and its effect: the owner and the group of the device.

import type { EnrolRequest } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { RequestError } from '../request-error.js'
import { membershipOf } from '../store/members.js'
import type { Db, Tx } from '../store/open.js'
import { deleteSession, findSession } from '../store/sign-in.js'
import type { Team } from '../team.js'
import { hashed } from './adapter.js'
import { DEVICE_SESSION } from './auth-options.js'
import { openKey, useKey } from './enrolment-keys.js'

export interface Proof {
  /** The address of a user, or the key, as text. */
  readonly by: string
  readonly key: string | null
  readonly person: Person | null
  readonly group: string
  /** Uses it up, in the transaction that read it; a returning device does not count again. */
  use(isSame: boolean): Promise<void>
}

export async function openProof(
  team: Team,
  db: Db | Tx,
  proof: EnrolRequest['proof'],
  address: string,
): Promise<Proof> {
  if (proof.case === 'enrolmentKey') return byKey(team, db, proof.value)
  if (proof.case === 'accessToken') return byPerson(db, proof.value, address)
  throw new RequestError(
    'unknown-caller',
    'Neither enrolment_key nor access_token was sent. Send one of them.',
  )
}

async function byKey(team: Team, db: Db | Tx, text: string): Promise<Proof> {
  const key = await openKey(team, db, text)
  return {
    by: `key ${key.note || key.id}`,
    key: key.id,
    person: null,
    group: key.group,
    use: async isSame => (isSame ? undefined : useKey(db, key)),
  }
}

async function byPerson(db: Db | Tx, accessToken: string, address: string): Promise<Proof> {
  const session = await findSession(db, hashed(accessToken))
  const member = session && (await membershipOf(db, session.userId))
  const isFit = session?.userAgent === DEVICE_SESSION && new Date(session.expiresAt).getTime() > Date.now()
  if (!session || !member || !isFit) throw notKnown()
  const { email: name, userId } = session
  return {
    by: name,
    key: null,
    person: { kind: 'person', userId, name, role: member.role, via: 'session', address },
    group: '',
    async use() {
      if (!(await deleteSession(db, session.id))) throw notKnown()
    },
  }
}

const notKnown = (): RequestError =>
  new RequestError(
    'unknown-caller',
    'This sign-in has expired, or was used already. Run "holdfast login" again.',
  )

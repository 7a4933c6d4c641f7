// Changes of the own second factor: the password is checked first, and the audit log gets an entry.

import { append } from '../../audit/chain.js'
import { oneAtATime } from '../../store/team.js'
import type { SignedIn } from '../auth.js'
import { memberOf } from '../members.js'
import type { Site } from './site.js'
import type { Visit } from './visit.js'

/** Counted like a sign-in, so that a thief of a session cannot guess the password here. Null if the attempt failed. */
export async function tryOwnPassword<T>(
  { account }: Site,
  { user }: SignedIn,
  attempt: () => Promise<T | null>,
): Promise<T | null> {
  if ((await account.take(user.email)) > 0) return null
  const made = await attempt()
  await (made === null ? account.failed(user.email) : account.forgive(user.email))
  return made
}

export async function noteSecondFactor(
  { team }: Site,
  { user }: SignedIn,
  { address }: Visit,
  detail: { on: boolean; kind: 'codes' | 'passkey' },
): Promise<void> {
  const { role } = await memberOf(team.store.db, user.id)
  const actor = { kind: 'person', userId: user.id, name: user.email, role, via: 'session', address } as const
  await team.store.write(async tx => {
    await oneAtATime(tx)
    await append(tx, actor, team.now(), { action: 'member.second-factor', subject: user.email, detail })
  })
  team.hub.changed('people')
}

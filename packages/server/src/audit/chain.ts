// Admin actions, each bound to the one before by its hash. The row is written in the transaction of the action itself,
// so the audit log contains exactly the actions that were carried out.

import { type ActionKind, hashOfAction } from '@holdfast/team'
import { type Actor, nameOf, type Person } from '../access/actor.js'
import { RequestError } from '../request-error.js'
import { isAtLeast } from '../roles.js'
import { insertAction, lockHead, readHead } from '../store/admin-actions.js'
import { membershipOf } from '../store/members.js'
import type { Tx } from '../store/open.js'

export interface Action {
  readonly action: ActionKind
  readonly subject: string
  /** With the current names of the ids, which may change or be removed later. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The last step of a transaction, so that others wait for its head as briefly as possible. */
export async function append(
  tx: Tx,
  actor: Actor | 'server',
  at: number,
  action: Action,
  /** Changes of one's own membership are checked before they take effect. */
  isChecked = false,
): Promise<void> {
  await lockHead(tx)
  if (!isChecked && actor !== 'server' && actor.kind === 'person') await mustStillBe(tx, actor)
  const head = await readHead(tx)
  const body = Buffer.from(
    JSON.stringify({
      seq: head.seq,
      at: new Date(at).toISOString(),
      actor: nameOf(actor),
      ...(actor !== 'server' && actor.address !== '' ? { address: actor.address } : {}),
      action: action.action,
      subject: action.subject,
      detail: action.detail ?? {},
    }),
  )
  const hash = hashOfAction(head.hash, head.seq, body)
  await insertAction(tx, {
    seq: head.seq,
    prev: head.hash,
    hash,
    body,
    at,
    actor: nameOf(actor),
    action: action.action,
    subject: action.subject,
  })
}

/**
 * A caller who was authenticated as an admin may have been removed since. The removal holds the head until it is
 * committed, so a read after it is final. All changes by users end here, so nobody changes anything after being
 * removed.
 */
export async function mustStillBe(tx: Tx, { userId, role }: Person): Promise<void> {
  const now = await membershipOf(tx, userId)
  if (now && isAtLeast(now.role, role)) return
  throw new RequestError(
    'forbidden',
    'Your role has changed meanwhile, so nothing was done. Reload the page.',
  )
}

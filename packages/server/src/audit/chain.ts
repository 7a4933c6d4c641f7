// Admin actions, each bound to the one before by its hash. The row is written in the transaction of the action itself:
// what was done is in the chain, and what is in the chain was done.

import { type ActionKind, hashOfAction } from '@holdfast/team'
import type { Actor, Person } from '../access/actor.js'
import { isAtLeast, type Role } from '../access/methods.js'
import { Refusal } from '../refusal.js'
import type { Tx } from '../store/open.js'

export interface Action {
  readonly action: ActionKind
  readonly subject: string
  /** With the names of what is named by an id, as they are now: later they may be others, or gone. */
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The last thing that a transaction does, so that others wait for its head as short as can be. */
export async function append(
  tx: Tx,
  actor: Actor | 'server',
  at: number,
  action: Action,
  /** Whoever changes their own membership is looked at before they do. */
  isChecked = false,
): Promise<void> {
  // Changing the row first is what makes two writers wait for each other in both databases.
  await tx
    .updateTable('admin_head')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .execute()
  if (!isChecked && actor !== 'server' && actor.kind === 'person') await mustStillBe(tx, actor)
  const head = await tx.selectFrom('admin_head').select(['seq', 'hash']).executeTakeFirstOrThrow()
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
  await tx
    .insertInto('admin_actions')
    .values({
      seq: head.seq,
      prev: head.hash,
      hash,
      body,
      at,
      actor: nameOf(actor),
      action: action.action,
      subject: action.subject,
    })
    .execute()
  await tx.updateTable('admin_head').set({ hash }).execute()
}

/**
 * Who was let in as an admin may have been removed since. Whoever removed them holds the head until that is done, so what
 * is read behind it is the last word; and as all that people change ends here, nobody changes anything after they are gone.
 */
export async function mustStillBe(tx: Tx, { userId, role }: Person): Promise<void> {
  const now = await tx.selectFrom('members').select('role').where('user_id', '=', userId).executeTakeFirst()
  if (now && isAtLeast(now.role as Role, role)) return
  throw new Refusal('forbidden', 'Your role has changed meanwhile, so nothing was done. Look again.')
}

export function nameOf(actor: Actor | 'server'): string {
  if (actor === 'server') return 'server'
  if (actor.kind === 'person') return actor.name
  return actor.kind === 'device' ? `device ${actor.deviceId}` : 'nobody'
}

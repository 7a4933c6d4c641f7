// Admin actions, each bound to the one before by its hash. The row is written in the transaction of the action itself:
// what was done is in the chain, and what is in the chain was done.

import { hashOfAction } from '@holdfast/team'
import type { Actor } from '../access/actor.js'
import type { Tx } from '../store/open.js'

export interface Action {
  /** What was done, as object.verb: release.publish, member.role. */
  readonly action: string
  readonly subject: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The last thing that a transaction does, so that others wait for its head as short as can be. */
export async function append(tx: Tx, actor: Actor | 'server', at: number, action: Action): Promise<void> {
  // Changing the row first is what makes two writers wait for each other in both databases.
  await tx
    .updateTable('admin_head')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .execute()
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

export function nameOf(actor: Actor | 'server'): string {
  if (actor === 'server') return 'server'
  if (actor.kind === 'person') return actor.name
  return actor.kind === 'device' ? `device ${actor.deviceId}` : 'nobody'
}

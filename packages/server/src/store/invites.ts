// Links that add a member.

import type { Role } from '../roles.js'
import type { Db, Tx } from './open.js'
import type { InviteRow } from './schema.js'

export const findInvite = (db: Db | Tx, id: string): Promise<InviteRow | undefined> =>
  db.selectFrom('invites').selectAll().where('id', '=', id).executeTakeFirst()

const open = (db: Db | Tx, now: number) =>
  db.selectFrom('invites').selectAll().where('used_at', 'is', null).where('expires_at', '>', now)

export const openInviteFor = (db: Db | Tx, email: string, now: number): Promise<InviteRow | undefined> =>
  open(db, now).where('email', '=', email).executeTakeFirst()

/** Without links for a first owner, which have no address. Sorted by email, after the given one. */
export const listInvites = (db: Db, now: number, size: number, after: string): Promise<InviteRow[]> =>
  open(db, now).where('email', '>', after).where('email', '<>', '').orderBy('email').limit(size).execute()

export const insertInvite = (tx: Tx, row: InviteRow) => tx.insertInto('invites').values(row).execute()

const unused = (tx: Tx) => tx.deleteFrom('invites').where('used_at', 'is', null)

export const deleteInvitesFor = (tx: Tx, email: string) => unused(tx).where('email', '=', email).execute()

export const deleteInvitesBy = (tx: Tx, inviter: string, roles: readonly Role[]) =>
  unused(tx).where('invited_by', '=', inviter).where('role', 'in', roles).execute()

export const deleteInvite = (tx: Tx, id: string): Promise<Pick<InviteRow, 'email' | 'role'> | undefined> =>
  unused(tx).where('id', '=', id).where('email', '<>', '').returning(['email', 'role']).executeTakeFirst()

/** False for all but one of several callers. */
export async function markUsed(tx: Tx, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('invites')
    .set({ used_at: at })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return Number(numUpdatedRows) === 1
}

/** Gives the link of a first owner an address, and deletes the others for it and for a first owner. */
export async function addressLink(tx: Tx, id: string, email: string): Promise<void> {
  await tx.deleteFrom('invites').where('email', 'in', ['', email]).where('id', '<>', id).execute()
  await tx.updateTable('invites').set({ email }).where('id', '=', id).where('email', '=', '').execute()
}

export const deleteOwnerLinksBut = (tx: Tx, id: string) =>
  tx.deleteFrom('invites').where('email', '=', '').where('id', '<>', id).execute()

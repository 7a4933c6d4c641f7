// Serialises changes that depend on existing data. A file has one writer anyway; in PostgreSQL two readers of the same
// state would both continue from it, and one change would be lost.

import type { Tx } from './open.js'

/** A read after it stays valid until the end of the transaction. */
export async function oneAtATime(tx: Tx): Promise<void> {
  await tx
    .updateTable('team')
    .set({ one: eb => eb.ref('one') })
    .execute()
}

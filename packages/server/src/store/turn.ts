// Changes that build on what is there, one after the other. A file has one writer anyway; in PostgreSQL two who read the
// same would both go on from it, and one would be lost.

import type { Tx } from './open.js'

/** What is read after it stays true until the end of the transaction. */
export async function oneAtATime(tx: Tx): Promise<void> {
  await tx
    .updateTable('team')
    .set({ one: eb => eb.ref('one') })
    .execute()
}

// What devices pin: the chain of trust as the store holds it, and the fingerprint of its beginning.

import { createHash } from 'node:crypto'
import { fromJsonString } from '@bufbuild/protobuf'
import { type Seal, SealSchema } from '@holdfast/team'
import { Refusal } from '../refusal.js'
import type { Db, Tx } from '../store/open.js'

export async function trustChain(db: Db | Tx): Promise<Seal[]> {
  const rows = await db.selectFrom('trust').select('seal').orderBy('version').execute()
  return rows.map(({ seal }) => fromJsonString(SealSchema, seal))
}

/** Empty while the team has no keys. */
export async function fingerprint(db: Db | Tx): Promise<string> {
  const row = await db.selectFrom('trust').select('seal').where('version', '=', 1).executeTakeFirst()
  if (!row) return ''
  return createHash('sha256').update(fromJsonString(SealSchema, row.seal).payload).digest('hex')
}

export async function mustHaveKeys(db: Db | Tx): Promise<string> {
  const found = await fingerprint(db)
  if (found) return found
  throw new Refusal(
    'not-now',
    'The team has no keys yet, so devices would have nothing to pin. Start it once more.',
  )
}

/** As people compare it: 24 digits in groups of four. */
export const forEyes = (text: string): string => text.slice(0, 24).replace(/.{4}(?=.)/g, '$& ')

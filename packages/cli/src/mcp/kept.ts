// What stood in a client's settings before, so that uninstall can put it back byte for byte. Entries may hold secrets:
// only the person may read them.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Complaint } from '../complaint.js'
import { replace } from '../edit/write.js'

export interface KeptEntry {
  readonly before: string
  readonly after: string
}

export type Kept = Map<string, KeptEntry>

const placeOf = (home: string, file: string): string =>
  join(home, '.holdfast', 'mcp', `${createHash('sha256').update(file).digest('hex').slice(0, 24)}.json`)

/** Empty when there is none, or none that can be read: what is missing is then read from the entry itself. */
export function readKept(home: string, file: string): Kept {
  try {
    const { servers } = JSON.parse(readFileSync(placeOf(home, file), 'utf8')) as { servers: object }
    const entries = Object.entries(servers) as [string, Partial<KeptEntry>][]
    return new Map(
      entries.filter(
        (entry): entry is [string, KeptEntry] =>
          typeof entry[1]?.before === 'string' && typeof entry[1].after === 'string',
      ),
    )
  } catch {
    return new Map()
  }
}

export function writeKept(home: string, file: string, kept: Kept): void {
  const place = placeOf(home, file)
  try {
    if (kept.size === 0) {
      rmSync(place, { force: true })
      return
    }
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
    replace(
      place,
      Buffer.from(`${JSON.stringify({ file, servers: Object.fromEntries(kept) }, null, 2)}\n`),
      0o600,
    )
  } catch (error) {
    throw new Complaint(
      `What stood there before cannot be kept in ${dirname(place)}: ${(error as Error).message}. Nothing was changed; give another folder with --home.`,
    )
  }
}

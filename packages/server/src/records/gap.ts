// Runs that a device dropped: a record of its own, so that a loss is shown where the runs would be.

import { createHash } from 'node:crypto'
import { type Arrival, type NewRecord, placeOf } from './read-record.js'
import { BLANK_RECORD } from './record.js'
import { tidy } from './summary.js'

/** Not an event of the engine: a placeholder. */
export const GAP = 'gap'

/** The largest number with nine digits. */
const LATEST = 36 ** 9

export interface Gap {
  readonly from: string
  readonly to: string
  readonly count: number
  readonly reason: string
}

export function readGap(gap: Gap, segment: string, arrival: Arrival): NewRecord {
  const { deviceId, now, recordDays } = arrival
  const said = {
    from: gap.from.slice(0, 40),
    to: gap.to.slice(0, 40),
    count: gap.count,
    reason: tidy(gap.reason, 200),
  }
  // The same gap has the same id when it is sent again.
  const sum = createHash('sha256')
    .update(JSON.stringify([deviceId, segment, said]))
    .digest('hex')
  const to = Date.parse(said.to)
  const id = `${(to > 0 && to < LATEST ? to : 0).toString(36).padStart(9, '0')}-0000-${sum.slice(0, 24)}`
  return {
    ...BLANK_RECORD,
    ...placeOf(id, now, recordDays),
    id,
    received_at: now,
    device_id: deviceId,
    event: GAP,
    source: 'device',
    verdict: 'none',
    summary: tidy(`${said.count} runs were not kept: ${said.reason}`, 300),
    body: JSON.stringify({ id, event: GAP, ...said }),
  }
}

// The audit log as a hash chain. Each entry contains the hash of the one before, so the holder of a later entry, or
// only of a signed head, can detect changes of earlier ones. The same code verifies on the server, in an export, and on
// a machine that trusts neither.

import { createHash } from 'node:crypto'

export interface ChainedAction {
  readonly seq: number
  /** The hash of the entry before; empty for the first. */
  readonly prev: string
  readonly hash: string
  /** The exact bytes that the hash covers. */
  readonly body: Uint8Array
}

/** A recorded end of the chain, with its time. */
export interface KnownHead {
  readonly seq: number
  readonly hash: string
}

export type ChainState = 'whole' | 'altered' | 'missing' | 'forked' | 'truncated'

export interface ChainVerdict {
  readonly state: ChainState
  /** Up to here the entries are unchanged. */
  readonly verifiedTo: number
  readonly headHash: string
  readonly message: string
}

const DOMAIN = Buffer.from('holdfast-audit-v1\0')

export function hashOfAction(prev: string, seq: number, body: Uint8Array): string {
  const numbers = Buffer.alloc(12)
  numbers.writeBigUInt64BE(BigInt(seq), 0)
  numbers.writeUInt32BE(body.length, 8)
  return createHash('sha256')
    .update(DOMAIN)
    .update(Buffer.from(prev, 'hex'))
    .update(numbers)
    .update(body)
    .digest('hex')
}

/** Verifies the entries from the first on, one at a time, and reports the first error. */
export async function verifyActions(
  actions: Iterable<ChainedAction> | AsyncIterable<ChainedAction>,
  heads: readonly KnownHead[] = [],
): Promise<ChainVerdict> {
  const seen = new Map(heads.map(({ seq, hash }) => [seq, hash]))
  const contradicted = new Set(heads.filter(({ seq, hash }) => seen.get(seq) !== hash).map(({ seq }) => seq))
  const last = Math.max(0, ...heads.map(({ seq }) => seq))
  let seq = 0
  let hash = ''
  const found = (state: ChainState, message: string): ChainVerdict => ({
    state,
    verifiedTo: seq,
    headHash: hash,
    message,
  })
  for await (const action of actions) {
    const next = seq + 1
    if (action.seq > next) {
      const gap =
        action.seq - 1 === next
          ? `Entry ${next} is missing.`
          : `Entries ${next} to ${action.seq - 1} are missing.`
      return found('missing', gap)
    }
    if (action.seq < next) return found('forked', `There are two entries ${action.seq}.`)
    const problem = problemOf(action, hash)
    if (problem) return found(problem.state, problem.message)
    const known = seen.get(next)
    if (contradicted.has(next)) return found('forked', `Two different heads were seen at entry ${next}.`)
    if (known !== undefined && known !== action.hash) {
      return found('forked', `Entry ${next} is not the one that was seen before: the history was rewritten.`)
    }
    seq = next
    hash = action.hash
  }
  if (seq < last) {
    return found('truncated', `The chain ends at entry ${seq}, but entry ${last} has been seen.`)
  }
  return found('whole', seq === 0 ? 'There are no entries yet.' : `All ${seq} entries are complete.`)
}

function problemOf(
  { seq, prev, hash, body }: ChainedAction,
  before: string,
): { state: ChainState; message: string } | null {
  if (hashOfAction(prev, seq, body) !== hash) {
    const own = seqIn(body)
    // Unchanged, but in another position.
    if (own !== null && own !== seq && hashOfAction(prev, own, body) === hash) {
      return { state: 'forked', message: `Entry ${own} stands in the place of entry ${seq}.` }
    }
    return { state: 'altered', message: `Entry ${seq} was altered.` }
  }
  if (seqIn(body) !== seq) return { state: 'altered', message: `Entry ${seq} was altered.` }
  if (prev !== before) {
    return { state: 'forked', message: `Entry ${seq} does not follow the entry ${seq - 1} that is there.` }
  }
  return null
}

function seqIn(body: Uint8Array): number | null {
  try {
    const { seq } = JSON.parse(Buffer.from(body).toString('utf8'))
    return typeof seq === 'number' ? seq : null
  } catch {
    return null
  }
}

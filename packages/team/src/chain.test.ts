import { describe, expect, it } from 'vitest'
import { type ChainedAction, hashOfAction, type KnownHead, verifyActions } from './chain.js'

/** Entries that differ between histories by what was done. */
function history(length: number, what = 'done'): ChainedAction[] {
  const actions: ChainedAction[] = []
  let prev = ''
  for (let seq = 1; seq <= length; seq++) {
    const body = Buffer.from(JSON.stringify({ seq, what }))
    const hash = hashOfAction(prev, seq, body)
    actions.push({ seq, prev, hash, body })
    prev = hash
  }
  return actions
}

const actions = history(5)
const headAt = (seq: number, of = actions): KnownHead => ({ seq, hash: of[seq - 1]!.hash })
const other = history(5, 'forged')
const stateOf = async (heads: KnownHead[], of: Iterable<ChainedAction> = actions) =>
  (await verifyActions(of, heads)).state

function ordersOf<T>(all: readonly T[]): T[][] {
  if (all.length <= 1) return [[...all]]
  return all.flatMap((one, at) =>
    ordersOf(all.filter((_, index) => index !== at)).map(rest => [one, ...rest]),
  )
}

describe('known heads', () => {
  it('confirm a chain that holds them, however often each was seen', async () => {
    for (const heads of ordersOf([headAt(2), headAt(2), headAt(5)]))
      expect(await stateOf(heads)).toBe('whole')
  })

  it.each([1, 3, 5])('contradict the chain at entry %i in every order', async seq => {
    const [good, bad] = [headAt(seq), headAt(seq, other)]
    for (const heads of [...ordersOf([good, bad]), ...ordersOf([good, bad, good]), [bad], [bad, bad]]) {
      expect(await verifyActions(actions, heads)).toMatchObject({ state: 'forked', verifiedTo: seq - 1 })
    }
  })

  it('name the first entry that is wrong, in every order', async () => {
    for (const heads of ordersOf([headAt(2), headAt(3, other), headAt(4, other)])) {
      expect(await verifyActions(actions, heads)).toMatchObject({ state: 'forked', verifiedTo: 2 })
    }
  })

  it('beyond the end mean that entries are missing, also when they contradict each other', async () => {
    const cut = actions.slice(0, 3)
    for (const heads of ordersOf([headAt(1), headAt(4), headAt(4, other)])) {
      expect(await stateOf(heads, cut)).toBe('truncated')
    }
    for (const heads of ordersOf([headAt(2), headAt(4)])) expect(await stateOf(heads, cut)).toBe('truncated')
  })

  it('make an empty chain a truncated one', async () => {
    expect(await verifyActions([])).toMatchObject({ state: 'whole', verifiedTo: 0, headHash: '' })
    expect(await stateOf([headAt(1)], [])).toBe('truncated')
  })
})

describe('a chain', () => {
  it('is followed to its last entry', async () => {
    expect(await verifyActions(actions)).toMatchObject({
      state: 'whole',
      verifiedTo: 5,
      headHash: actions[4]!.hash,
    })
  })

  const replaced = (seq: number, change: Partial<ChainedAction>) =>
    actions.map(action => (action.seq === seq ? { ...action, ...change } : action))
  /** As somebody writes it who can compute hashes. */
  const rewritten = (seq: number, body: Buffer, prev = actions[seq - 1]!.prev) =>
    replaced(seq, { body, prev, hash: hashOfAction(prev, seq, body) })

  it.each([
    ['without its first entry', actions.slice(1), 'missing', 0],
    ['without an entry in the middle', actions.filter(({ seq }) => seq !== 3), 'missing', 2],
    ['with an entry twice', [...actions.slice(0, 3), ...actions.slice(2)], 'forked', 3],
    ['with two entries swapped', [actions[1]!, actions[0]!], 'missing', 0],
    ['with another body', replaced(3, { body: other[2]!.body }), 'altered', 2],
    ['with another hash', replaced(3, { hash: other[2]!.hash }), 'altered', 2],
    ['with an empty hash', replaced(3, { hash: '' }), 'altered', 2],
    ['with another predecessor', replaced(3, { prev: other[1]!.hash }), 'altered', 2],
    ['with an entry of another history', replaced(3, other[2]!), 'forked', 2],
    ['with a last entry of another history', replaced(5, other[4]!), 'forked', 4],
    ['with an entry in the place of another', replaced(3, { ...actions[3]!, seq: 3 }), 'forked', 2],
    ['with a number in the body that is not its own', rewritten(3, Buffer.from('{"seq":4}')), 'altered', 2],
    ['with a body without a number', rewritten(3, Buffer.from('{}')), 'altered', 2],
    ['with a body that is not JSON', rewritten(3, Buffer.from('x')), 'altered', 2],
    ['with an empty body', rewritten(1, Buffer.alloc(0)), 'altered', 0],
    ['that begins in the middle', rewritten(1, actions[0]!.body as Buffer, actions[1]!.hash), 'forked', 0],
  ] as const)('%s is not intact', async (_, of, state, verifiedTo) => {
    expect(await verifyActions(of)).toMatchObject({ state, verifiedTo })
  })

  it('binds each part of an entry into its hash', () => {
    const body = Buffer.from('body')
    const hashes = [
      hashOfAction('', 1, body),
      hashOfAction('ab', 1, body),
      hashOfAction('', 2, body),
      hashOfAction('', 1, Buffer.from('bodx')),
      hashOfAction('', 1, Buffer.alloc(0)),
    ]
    expect(new Set(hashes).size).toBe(5)
  })
})

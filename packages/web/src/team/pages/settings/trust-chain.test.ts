import { describe, expect, it } from 'vitest'
import { versionsIn } from './trust-chain.js'

const seal = (said: unknown) => ({
  payload: new TextEncoder().encode(typeof said === 'string' ? said : JSON.stringify(said)),
  signatures: [{ keyId: 'k1' }] as never,
})
const first = { version: 1, epoch: 0, roots: ['a'], release_keys: ['b'], lease_keys: ['c'], issued_at: 't' }

describe('the versions of trust', () => {
  it('come newest first, each with what it changed', () => {
    const second = { ...first, version: 2, release_keys: ['d'] }
    const third = { ...second, version: 3, epoch: 1, roots: ['e'] }
    expect(
      versionsIn([seal(first), seal(second), seal(third)]).map(({ version, change }) => [version, change]),
    ).toEqual([
      [3, 'another root key, a new epoch'],
      [2, 'another release key'],
      [1, 'the first keys of the team'],
    ])
  })

  it('what cannot be read is shown as nothing known', () => {
    for (const odd of ['', 'x', 'null', '[]', '7'])
      expect(versionsIn([seal(odd)])).toMatchObject([{ version: 0, issuedAt: '', signers: ['k1'] }])
    expect(versionsIn([])).toEqual([])
  })
})

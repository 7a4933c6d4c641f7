import { describe, expect, it } from 'vitest'
import type { Examined } from './examine.js'
import { type Findings, hasTrouble, isTrouble, opens } from './findings.js'

interface Given {
  readonly state?: Examined['state']
  readonly source?: string
  readonly trusted?: boolean
  readonly gate?: string
  readonly effect?: string
}
const one = ({
  state = 'well',
  source = 'user',
  trusted = true,
  gate = 'permission',
  effect = 'open',
}: Given = {}): Examined =>
  ({ state, hook: { source, trusted }, spec: { gate }, policy: { effect } }) as unknown as Examined

const UNTRUSTED = { source: 'project', trusted: false }

describe('a hook', () => {
  it.each([
    [{}, false],
    [{ state: 'not-run' }, false],
    [{ state: 'unmatched' }, false],
    [{ state: 'failed' }, true],
    [{ state: 'cannot-run' }, true],
    [{ source: 'project' }, false],
    [{ state: 'not-run', ...UNTRUSTED }, true],
    [{ state: 'not-run', source: 'claude-project', trusted: false }, true],
    [{ state: 'not-run', source: 'claude-local', trusted: false }, true],
    // Sources that need no trust.
    [{ state: 'not-run', source: 'user', trusted: false }, false],
    [{ state: 'not-run', source: 'enterprise', trusted: false }, false],
  ] as const)('%j is trouble: %s', (given, expected) => expect(isTrouble(one(given))).toBe(expected))

  it.each([
    [{}, true],
    [{ effect: 'closed' }, false],
    [{ gate: 'none' }, false],
    [{ state: 'failed' }, true],
    [{ state: 'cannot-run' }, true],
    [{ state: 'not-run' }, false],
    [{ state: 'not-run', ...UNTRUSTED }, true],
    [{ state: 'not-run', ...UNTRUSTED, effect: 'closed' }, false],
  ] as const)('%j lets actions through when it fails: %s', (given, expected) =>
    expect(opens(one(given))).toBe(expected),
  )
})

describe('the findings', () => {
  const well: Findings = { examined: [one()], ran: true, missing: [], errors: 0, failed: [], agents: [] }
  const agent = (state: string) => ({ state }) as Findings['agents'][number]

  it.each([
    ['one hook that is well', false, {}],
    ['no hook', true, { examined: [] }],
    ['a failed hook behind one that is well', true, { examined: [one(), one({ state: 'failed' })] }],
    ['a required source that is absent', true, { missing: [{} as never] }],
    ['an error of the configuration', true, { errors: 1 }],
    ['agents that are well or unknown', false, { agents: [agent('well'), agent('unknown')] }],
    ['an agent in trouble behind one that is well', true, { agents: [agent('well'), agent('trouble')] }],
    ['a canary that was not run', false, { ran: false }],
  ] satisfies [string, boolean, Partial<Findings>][])('with %s are trouble: %s', (_, expected, change) => {
    expect(hasTrouble({ ...well, ...change })).toBe(expected)
  })
})

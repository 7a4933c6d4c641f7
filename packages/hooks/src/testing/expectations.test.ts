// Each word of an expectation against verdicts that fit it and verdicts that do not.

import { describe, expect, it } from 'vitest'
import { definition, EMPTY_VERDICT } from '../../../../tests/fixtures/definition.js'
import type { Run } from '../protocol/run.js'
import { compare, EXPECTATION_NAMES, type Expected, type Observation } from './expectations.js'

const NOTHING: Observation = { ...EMPTY_VERDICT, stderr: '' }

const run = (
  command: string,
  code: number | null = 0,
  outcome: Run['outcome'] = { kind: 'silent' },
): Run => ({
  hook: definition({ command, name: command }),
  exit: { code, signal: code === null ? 'SIGKILL' : null, stdout: '', stderr: '', durationMs: 1 },
  outcome,
  notes: [],
})
const failure = { code: 'run/exit', message: 'It ended with 1.' } as const
const failed = run('guard', 1, { kind: 'failed', failure })
const deniedAndFailed = run('guard', 1, { kind: 'answered', answer: { permission: 'deny' }, failure })

const DENIED = { permission: 'deny' } as const
const ALLOWED = { permission: 'allow' } as const
const ASKED = { permission: 'ask' } as const
const STOPPED = { continue: false } as const
const GONE_ON = { continue: true } as const

type Row = [expected: Expected, fits: readonly Partial<Observation>[], fails: readonly Partial<Observation>[]]
const ROWS: readonly Row[] = [
  [{ verdict: 'allow' }, [ALLOWED, GONE_ON], [DENIED, ASKED, STOPPED, {}]],
  [{ verdict: 'deny' }, [DENIED, STOPPED, { ...ALLOWED, ...STOPPED }], [ALLOWED, ASKED, GONE_ON, {}]],
  [{ verdict: 'blocked' }, [DENIED, STOPPED], [ALLOWED, ASKED, GONE_ON, {}]],
  [{ verdict: 'ask' }, [ASKED], [ALLOWED, DENIED, STOPPED, { ...ASKED, ...STOPPED }, {}]],
  [{ verdict: 'none' }, [{}], [ALLOWED, DENIED, ASKED, STOPPED, GONE_ON]],
  [{ verdict: 'proceeds' }, [{}, ALLOWED, GONE_ON], [DENIED, ASKED, STOPPED]],
  [
    { message: 'No.' },
    [{ userMessage: 'No.' }, { agentMessage: 'No.' }, { userMessage: 'x', agentMessage: 'No.' }],
    [{}, { userMessage: 'No' }, { userMessage: 'No.\n' }],
  ],
  [
    { message: null },
    [{}],
    [{ userMessage: 'x' }, { agentMessage: 'x' }, { userMessage: 'x', agentMessage: 'y' }],
  ],
  [
    { 'user message': 'No.' },
    [{ userMessage: 'No.' }],
    [{}, { agentMessage: 'No.' }, { userMessage: 'no.' }],
  ],
  [{ 'agent message': 'No.' }, [{ agentMessage: 'No.' }], [{}, { userMessage: 'No.' }]],
  [{ 'user message': /^no/i }, [{ userMessage: 'No.' }], [{}, { userMessage: 'Oh no.' }]],
  [
    { context: { contains: 'kind' } },
    [{ additionalContext: 'Be kind.' }],
    [{}, { additionalContext: 'Be.' }],
  ],
  [{ context: null }, [{}], [{ additionalContext: '' }]],
  [{ followup: 'Go on.' }, [{ followupMessage: 'Go on.' }], [{}, { followupMessage: 'Go' }]],
  [
    { rewrite: { command: 'ls', deep: { a: [1, { b: 2 }] } } },
    [{ updatedInput: { deep: { a: [1, { b: 2 }] }, command: 'ls', more: 1 } }],
    [
      {},
      { updatedInput: { command: 'ls' } },
      { updatedInput: { command: 'ls', deep: { a: [1, { b: 3 }] } } },
      { updatedInput: { command: 'ls', deep: { a: [1, { b: 2, c: 3 }] } } },
      { updatedInput: { command: 'ls', deep: { a: [1] } } },
      { updatedInput: { command: 'ls', deep: { a: { 0: 1, 1: { b: 2 } } } } },
      { updatedInput: { command: 'ls', deep: null } },
    ],
  ],
  [{ rewrite: null }, [{}], [{ updatedInput: {} }]],
  [{ rewrite: { toString: undefined } }, [{ updatedInput: {} }], [{ updatedInput: { toString: 1 } }]],
  [{ prompt: 'b' }, [{ updatedPrompt: 'b' }], [{}, { updatedPrompt: 'a' }]],
  [{ output: { a: 1 } }, [{ updatedMcpToolOutput: { a: 1 } }], [{}, { updatedMcpToolOutput: { a: '1' } }]],
  [
    { env: { A: /^b/, B: null } },
    [{ env: { A: 'blue' } }],
    [{}, { env: { A: 'x' } }, { env: { A: 'b', B: 'c' } }],
  ],
  [
    { plugins: ['/a', '/b'] },
    [{ pluginPaths: ['/a', '/b'] }],
    [{}, { pluginPaths: ['/b', '/a'] }, { pluginPaths: ['/a'] }, { pluginPaths: ['/a', '/b', '/c'] }],
  ],
  [{ plugins: null }, [{}], [{ pluginPaths: [] }]],
  [{ within: 5 }, [{ durationMs: 5 }, { durationMs: 1 }], [{ durationMs: 5.1 }]],
  [
    { exit: 0 },
    [{ runs: [run('a'), run('b')] }],
    [{}, { runs: [run('a'), run('b', 2)] }, { runs: [run('a', null)] }],
  ],
  [{ exit: 2 }, [{ runs: [run('a', 2)] }], [{}, { runs: [run('a')] }]],
  [{ stderr: 'x\n' }, [{ stderr: 'x\n' }], [{}, { stderr: 'x' }]],
  [{ stderr: null }, [{}], [{ stderr: 'x' }]],
  [{ stderr: '' }, [{}], [{ stderr: 'x' }]],
  [{ ran: 1 }, [{ runs: [run('a')] }], [{}, { runs: [run('a'), run('b')] }]],
  [{ ran: 0 }, [{}], [{ runs: [run('a')] }]],
  [
    { ran: ['guard', 'lint'] },
    [{ runs: [run('./lint.sh'), run('./guard.sh')] }],
    [
      {},
      { runs: [run('./guard.sh')] },
      { runs: [run('guard'), run('other')] },
      { runs: [run('guard'), run('lint'), run('x')] },
    ],
  ],
  [
    { failed: 'none' },
    [{}, { runs: [run('a')] }],
    [{ runs: [failed] }, { runs: [run('a'), deniedAndFailed] }],
  ],
  [
    { failed: 'open' },
    [{ runs: [failed] }, { ...DENIED, runs: [failed, run('b')], deciders: [run('b')] }],
    [{}, { ...DENIED, runs: [failed], deciders: [failed] }],
  ],
  [
    { failed: 'closed' },
    [{ ...DENIED, runs: [failed], deciders: [failed] }],
    [{}, { runs: [failed] }, DENIED, { ...DENIED, runs: [failed, run('b')], deciders: [run('b')] }],
  ],
  [{ failed: 'any' }, [{}, { runs: [failed] }], []],
]

describe('an expectation', () => {
  it.each(ROWS.map(row => [JSON.stringify(row[0]), ...row] as const))('%s', (_, expected, fits, fails) => {
    const [name] = Object.keys(expected)
    for (const observed of fits) {
      // Rows about other expectations ignore failed hooks.
      expect(
        compare({ failed: 'any', ...expected }, { ...NOTHING, ...observed }),
        JSON.stringify(observed),
      ).toEqual([])
    }
    for (const observed of fails) {
      const mismatches = compare({ failed: 'any', ...expected }, { ...NOTHING, ...observed })
      expect(mismatches.length, JSON.stringify(observed)).toBeGreaterThan(0)
      for (const { what } of mismatches) expect(what.split('.')[0]).toBe(name)
    }
  })

  it('is tested by name, with verdicts that match and verdicts that do not', () => {
    const names = ROWS.filter(([, , fails]) => fails.length > 0).map(
      ([expected]) => Object.keys(expected)[0]!,
    )
    expect([...new Set(names)].sort()).toEqual([...EXPECTATION_NAMES].sort())
  })

  it('requires that no hook fails, unless it names an exit code other than 0', () => {
    const observed = { ...NOTHING, ...ALLOWED, runs: [failed] }
    expect(compare({ verdict: 'allow' }, observed).map(({ what }) => what)).toEqual(['failed'])
    expect(compare({}, observed).map(({ what }) => what)).toEqual(['failed'])
    expect(compare({ exit: 1 }, observed)).toEqual([])
    expect(
      compare({ exit: 0 }, observed)
        .map(({ what }) => what)
        .sort(),
    ).toEqual(['exit', 'failed'])
  })

  it('lists all mismatches', () => {
    const mismatches = compare({ verdict: 'deny', 'user message': 'No.', ran: 1 }, NOTHING)
    expect(mismatches.map(({ what }) => what).sort()).toEqual(['ran', 'user message', 'verdict'])
  })
})

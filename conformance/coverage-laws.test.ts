// Loops, laws, sources, variables and codes must have cases.

import { describe, expect, test } from 'vitest'
import { CODES } from '../packages/hooks/src/protocol/codes.js'
import { FIXED_VARIABLES } from '../packages/hooks/src/protocol/environment.js'
import { EVENT_SPECS } from '../packages/hooks/src/protocol/events.js'
import { SOURCE_NAMES } from './case.js'
import { objectPrintedBy, RISKS, riskOf } from './classify.js'
import { cases, gates, lone, missing, pairs, rank, sourcesOf, today } from './coverage.js'

describe('loops', () => {
  const looping = EVENT_SPECS.filter(spec => spec.loop === 'counts')
  test('every limit, reached and not reached', () => {
    const limited = today.filter(one => one.hooks.length === 1 && one.expect.followup_message !== undefined)
    const seen = limited.map(one => {
      const { loop_limit } = one.hooks[0]!
      return `${one.event} × ${loop_limit === undefined ? 'unsaid' : loop_limit} × ${one.expect.followup_message === null ? 'ignored' : 'taken'}`
    })
    const rules = ['unsaid × taken', 'unsaid × ignored', '0 × ignored', '1 × taken', '1 × ignored']
    rules.push('5 × taken', '5 × ignored', 'null × taken')
    expect(
      missing(
        pairs(
          looping.map(spec => spec.name),
          rules,
        ),
        seen,
      ),
    ).toEqual([])
  })
  test('every status without follow-ups', () => {
    const seen = today
      .filter(one => one.expect.hooks?.[0]?.notes?.includes('followup-status'))
      .map(one => `${one.event} × ${one.payload?.status}`)
    expect(missing(pairs(['subagentStop'], ['error', 'aborted']), seen)).toEqual([])
  })
})

describe('the two laws', () => {
  test('a deny survives every risk at every gate', () => {
    const held = lone.filter(one => one.expect.proceeds === false || one.expect.permission === 'deny')
    const seen = held.map(one => `${one.event} × ${riskOf(one.hooks[0]!)}`)
    expect(missing(pairs(gates, RISKS), seen)).toEqual([])
  })
  test('no source loosens, replaces or reaches into the one above it', () => {
    const steps = SOURCE_NAMES.slice(1).map((low, at) => `${SOURCE_NAMES[at]} over ${low}`)
    const law = cases.filter(one => one.spec === 'law 2')
    const seen = law.flatMap(one => {
      const [high, low] = [...new Set(sourcesOf(one))].sort((a, b) => rank(a) - rank(b))
      const ways = []
      if (one.expect.permission === 'deny') ways.push('deny')
      if (one.expect.permission === 'ask') ways.push('ask')
      if (one.expect.updated_input) ways.push('input')
      if (one.expect.hooks?.some(hook => hook?.env)) ways.push('variables')
      return ways.map(way => `${high} over ${low} × ${way}`)
    })
    expect(missing(pairs(steps, ['deny', 'ask', 'input', 'variables']), seen)).toEqual([])
  })
})

describe('other lists', () => {
  test('every source has a hook that runs, and one that may not be trusted', () => {
    expect(missing(SOURCE_NAMES, lone.flatMap(sourcesOf))).toEqual([])
    expect(
      missing(SOURCE_NAMES, today.filter(one => one.host?.trusted === false).flatMap(sourcesOf)),
    ).toEqual(['plugin'])
  })
  test('every fixed variable is refused', () => {
    const set = today.flatMap(one => one.hooks.flatMap(hook => Object.keys(objectPrintedBy(hook)?.env ?? {})))
    expect(missing(FIXED_VARIABLES, set)).toEqual([])
  })
  test('every failure and every note is expected by a case', () => {
    const codes = Object.entries(CODES).filter(([, { kind }]) => kind === 'failure' || kind === 'note')
    const wanted = codes
      .map(([code]) => code.slice(code.indexOf('/') + 1))
      .filter(code => !OUT_OF_REACH.includes(code))
    const seen = cases.flatMap(one =>
      (one.expect.hooks ?? []).flatMap(hook => [hook?.failure ?? undefined, ...(hook?.notes ?? [])]),
    )
    expect(missing(wanted, seen)).toEqual([])
  })
})

/** Not expressible in hooks.json: a folder that disappears, a system that cannot start processes, and functions. */
const OUT_OF_REACH = ['bad-folder', 'spawn', 'threw']

// Do the cases say everything that the specification says? Computed from the table of events and from the cases, so
// that a new event, field, source or code without cases fails here.

import { describe, expect, test } from 'vitest'
import { ANSWER_FIELDS } from '../packages/hooks/src/protocol/answer.js'
import { CODES } from '../packages/hooks/src/protocol/codes.js'
import { FIXED_VARIABLES } from '../packages/hooks/src/protocol/environment.js'
import { EVENT_SPECS } from '../packages/hooks/src/protocol/events.js'
import { allCases, type Case, eventOf, SOURCE_NAMES } from './case.js'
import {
  CRASHES,
  decides,
  isDefault,
  opinionOf,
  RISKS,
  ROWS,
  riskOf,
  rowOf,
  type Said,
  saidBy,
} from './classify.js'

const cases = allCases().map(({ case: one }) => one)
const today = cases.filter(isDefault)
const gates = EVENT_SPECS.filter(spec => spec.gate !== 'none').map(spec => spec.name)
const lone = today.filter(one => one.hooks.length === 1 && decides(one))
const names = (one: Case) => one.hooks.map(hook => hook.source)

/** What is missing, in words; a test expects none. */
const missing = (wanted: readonly string[], has: (name: string) => boolean) =>
  wanted.filter(name => !has(name))
const pairs = (a: readonly string[], b: readonly string[]) => a.flatMap(x => b.map(y => `${x} × ${y}`))
const found = (list: readonly (string | undefined)[]) => {
  const set = new Set(list)
  return (name: string) => set.has(name)
}

describe('events', () => {
  test('every event is allowed, denied and left alone', () => {
    const wanted = pairs(
      EVENT_SPECS.map(spec => spec.name),
      ['allow', 'deny', 'none'],
    )
    expect(missing(wanted, found(lone.map(one => `${one.event} × ${opinionOf(one.hooks[0]!)}`)))).toEqual([])
  })
  test('every field of every answer is said somewhere', () => {
    const wanted = EVENT_SPECS.flatMap(spec =>
      Object.keys(spec.answer).map(field => `${spec.name} × ${field}`),
    )
    const said = today.flatMap(one =>
      one.hooks.flatMap(hook =>
        Object.keys(saidBy(hook) ?? {}).map(field => `${eventOf(hook, one)} × ${field}`),
      ),
    )
    expect(missing(wanted, found(said))).toEqual([])
  })
  test('every event has its matcher found and not found', () => {
    const matched = today.filter(one => one.hooks[0]?.matcher !== undefined)
    const ran = matched.filter(one => one.expect.ran?.includes(0)).map(one => `${one.event} × found`)
    const not = matched
      .filter(one => one.expect.skipped?.[0] === 'matcher')
      .map(one => `${one.event} × not found`)
    const wanted = EVENT_SPECS.flatMap(({ name, subject }) =>
      'none' in subject ? [`${name} × found`] : [`${name} × found`, `${name} × not found`],
    )
    expect(missing(wanted, found([...ran, ...not]))).toEqual([])
  })
})

describe('the failure table', () => {
  test('every row at every gate', () => {
    const seen = lone.map(one => `${one.event} × ${rowOf(one.hooks[0]!)}`)
    expect(missing(pairs(gates, ROWS), found(seen))).toEqual([])
  })
  test('every crash at every gate, with failClosed true, false and unsaid', () => {
    const seen = lone.map(one => `${one.event} × ${rowOf(one.hooks[0]!)} × ${one.hooks[0]!.failClosed}`)
    expect(missing(pairs(pairs(gates, CRASHES), ['true', 'false', 'undefined']), found(seen))).toEqual([])
  })
  test('silence at every gate, with failClosed true, false and unsaid', () => {
    const silent = lone.filter(({ hooks: [hook] }) => hook!.exit && Object.keys(hook!.exit).length === 0)
    const seen = silent.map(one => `${one.event} × ${one.hooks[0]!.failClosed}`)
    expect(missing(pairs(gates, ['true', 'false', 'undefined']), found(seen))).toEqual([])
  })
  test('a failure of every event that cannot be stopped', () => {
    const seen = today
      .filter(one => one.hooks.some(hook => rowOf(hook) === 'exit'))
      .map(one => one.event as string)
    expect(
      missing(
        EVENT_SPECS.map(spec => spec.name as string),
        found(seen),
      ),
    ).toEqual([])
  })
})

describe('merging', () => {
  test('every pair of opinions, from a higher and a lower source', () => {
    const opinions: Said[] = ['none', 'allow', 'ask', 'deny']
    const two = today.filter(one => one.hooks.length === 2 && new Set(names(one)).size === 2 && decides(one))
    const seen = two.map(one => {
      const [high, low] = [...one.hooks].sort((a, b) => rank(a.source) - rank(b.source))
      return `${opinionOf(high!)} × ${opinionOf(low!)}`
    })
    expect(missing(pairs(opinions, opinions), found(seen))).toEqual([])
  })
  test('every field by its rule: from two sources, and twice in one', () => {
    const wanted = Object.entries(ANSWER_FIELDS)
      .filter(([name]) => name !== 'permission_without_ask')
      .flatMap(([name]) => pairs([name], ['two sources', 'one source']))
    const seen = today.flatMap(one =>
      Object.keys(ANSWER_FIELDS).flatMap(field => {
        const by = one.hooks.filter(hook => saidBy(hook)?.[field] !== undefined).map(hook => hook.source)
        if (by.length < 2) return []
        const several = new Set(by).size
        return [
          ...(several > 1 ? [`${field} × two sources`] : []),
          ...(several < by.length ? [`${field} × one source`] : []),
        ]
      }),
    )
    expect(missing(wanted, found(seen))).toEqual([])
  })
})

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
        found(seen),
      ),
    ).toEqual([])
  })
  test('every status that takes no follow-up', () => {
    const seen = today
      .filter(one => one.expect.hooks?.[0]?.notes?.includes('followup-status'))
      .map(one => `${one.event} × ${one.facts?.status}`)
    expect(missing(pairs(['subagentStop'], ['error', 'aborted']), found(seen))).toEqual([])
  })
})

describe('the two laws', () => {
  test('a deny survives every risk at every gate', () => {
    const held = lone.filter(one => one.expect.proceeds === false || one.expect.permission === 'deny')
    const seen = held.map(one => `${one.event} × ${riskOf(one.hooks[0]!)}`)
    expect(missing(pairs(gates, RISKS), found(seen))).toEqual([])
  })
  test('no source loosens, replaces or reaches into the one above it', () => {
    const steps = SOURCE_NAMES.slice(1).map((low, at) => `${SOURCE_NAMES[at]} over ${low}`)
    const law = cases.filter(one => one.spec === 'law 2')
    const seen = law.flatMap(one => {
      const [high, low] = [...new Set(names(one))].sort((a, b) => rank(a) - rank(b))
      const ways = []
      if (one.expect.permission === 'deny') ways.push('deny')
      if (one.expect.permission === 'ask') ways.push('ask')
      if (one.expect.updated_input) ways.push('input')
      if (one.expect.hooks?.some(hook => hook?.env)) ways.push('variables')
      return ways.map(way => `${high} over ${low} × ${way}`)
    })
    expect(missing(pairs(steps, ['deny', 'ask', 'input', 'variables']), found(seen))).toEqual([])
  })
})

describe('everything else that is a list', () => {
  test('every source has a hook that runs, and one that may not be trusted', () => {
    expect(missing(SOURCE_NAMES, found(lone.flatMap(names)))).toEqual([])
    expect(
      missing(SOURCE_NAMES, found(today.filter(one => one.host?.trusted === false).flatMap(names))),
    ).toEqual(['plugin'])
  })
  test('every fixed variable is refused', () => {
    const set = today.flatMap(one => one.hooks.flatMap(hook => Object.keys(saidBy(hook)?.env ?? {})))
    expect(missing(FIXED_VARIABLES, found(set))).toEqual([])
  })
  test('every failure and every note is expected by a case', () => {
    const codes = Object.entries(CODES).filter(([, { kind }]) => kind === 'failure' || kind === 'note')
    const wanted = codes
      .map(([code]) => code.slice(code.indexOf('/') + 1))
      .filter(code => !OUT_OF_REACH.includes(code))
    const seen = cases.flatMap(one =>
      (one.expect.hooks ?? []).flatMap(hook => [hook?.failure ?? undefined, ...(hook?.notes ?? [])]),
    )
    expect(missing(wanted, found(seen))).toEqual([])
  })
})

/** A folder that vanishes, a system that cannot start processes, and functions: not things that hooks.json can say. */
const OUT_OF_REACH = ['bad-folder', 'spawn', 'threw']
const rank = (source: (typeof SOURCE_NAMES)[number]) => SOURCE_NAMES.indexOf(source)

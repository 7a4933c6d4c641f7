// Every event, field and failure of the event table must have cases, so that a new one without cases fails here.

import { describe, expect, test } from 'vitest'
import { EVENT_SPECS } from '../packages/hooks/src/protocol/events.js'
import { RESPONSE_FIELDS } from '../packages/hooks/src/protocol/response-fields.js'
import { CRASHES, decides, decisionOf, objectPrintedBy, ROWS, rowOf, type Said } from './classify.js'
import { gates, lone, missing, pairs, rank, sourcesOf, today } from './coverage.js'
import { eventOf } from './load.js'

describe('events', () => {
  test('every event has allow, deny and abstain', () => {
    const wanted = pairs(
      EVENT_SPECS.map(spec => spec.name),
      ['allow', 'deny', 'none'],
    )
    expect(
      missing(
        wanted,
        lone.map(one => `${one.event} × ${decisionOf(one.hooks[0]!)}`),
      ),
    ).toEqual([])
  })
  test('every field of every response is used', () => {
    const wanted = EVENT_SPECS.flatMap(spec =>
      Object.keys(spec.answer).map(field => `${spec.name} × ${field}`),
    )
    const used = today.flatMap(one =>
      one.hooks.flatMap(hook =>
        Object.keys(objectPrintedBy(hook) ?? {}).map(field => `${eventOf(hook, one)} × ${field}`),
      ),
    )
    expect(missing(wanted, used)).toEqual([])
  })
  test('every event has a matcher that matches and one that does not', () => {
    const matched = today.filter(one => one.hooks[0]?.matcher !== undefined)
    const ran = matched.filter(one => one.expect.ran?.includes(0)).map(one => `${one.event} × found`)
    const not = matched
      .filter(one => one.expect.skipped?.[0] === 'matcher')
      .map(one => `${one.event} × not found`)
    const wanted = EVENT_SPECS.flatMap(({ name, subject }) =>
      'none' in subject ? [`${name} × found`] : [`${name} × found`, `${name} × not found`],
    )
    expect(missing(wanted, [...ran, ...not])).toEqual([])
  })
})

describe('the failure table', () => {
  test('every row at every gate', () => {
    const seen = lone.map(one => `${one.event} × ${rowOf(one.hooks[0]!)}`)
    expect(missing(pairs(gates, ROWS), seen)).toEqual([])
  })
  test('every crash at every gate, with failClosed true, false and absent', () => {
    const seen = lone.map(one => `${one.event} × ${rowOf(one.hooks[0]!)} × ${one.hooks[0]!.failClosed}`)
    expect(missing(pairs(pairs(gates, CRASHES), ['true', 'false', 'undefined']), seen)).toEqual([])
  })
  test('silence at every gate, with failClosed true, false and absent', () => {
    const silent = lone.filter(({ hooks: [hook] }) => hook!.exit && Object.keys(hook!.exit).length === 0)
    const seen = silent.map(one => `${one.event} × ${one.hooks[0]!.failClosed}`)
    expect(missing(pairs(gates, ['true', 'false', 'undefined']), seen)).toEqual([])
  })
  test('a failure of every event that cannot be stopped', () => {
    const seen = today
      .filter(one => one.hooks.some(hook => rowOf(hook) === 'exit'))
      .map(one => one.event as string)
    expect(
      missing(
        EVENT_SPECS.map(spec => spec.name as string),
        seen,
      ),
    ).toEqual([])
  })
})

describe('merging', () => {
  test('every pair of decisions, from a higher and a lower source', () => {
    const decisions: Said[] = ['none', 'allow', 'ask', 'deny']
    const two = today.filter(
      one => one.hooks.length === 2 && new Set(sourcesOf(one)).size === 2 && decides(one),
    )
    const seen = two.map(one => {
      const [high, low] = [...one.hooks].sort((a, b) => rank(a.source) - rank(b.source))
      return `${decisionOf(high!)} × ${decisionOf(low!)}`
    })
    expect(missing(pairs(decisions, decisions), seen)).toEqual([])
  })
  test('every field by its rule: from two sources, and twice in one', () => {
    const wanted = Object.entries(RESPONSE_FIELDS)
      .filter(([name]) => name !== 'permission_without_ask')
      .flatMap(([name]) => pairs([name], ['two sources', 'one source']))
    const seen = today.flatMap(one =>
      Object.keys(RESPONSE_FIELDS).flatMap(field => {
        const by = one.hooks
          .filter(hook => objectPrintedBy(hook)?.[field] !== undefined)
          .map(hook => hook.source)
        if (by.length < 2) return []
        const several = new Set(by).size
        return [
          ...(several > 1 ? [`${field} × two sources`] : []),
          ...(several < by.length ? [`${field} × one source`] : []),
        ]
      }),
    )
    expect(missing(wanted, seen)).toEqual([])
  })
})

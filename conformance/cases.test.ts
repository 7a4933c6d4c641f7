// The cases themselves: valid, with unique notes, and suitable for both runners.

import { readFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { EVENT_SPECS } from '../packages/hooks/src/protocol/events.js'
import { acceptFields } from '../packages/hooks/src/protocol/payload.js'
import { PROFILE_NAMES } from '../packages/hooks/src/protocol/profiles.js'
import { caseSchema } from './case.js'
import { CLAUDE_NAMES } from './files.js'
import { allCases, DEFAULT_PAYLOADS, eventOf, payloadOf, profileOf, rawCases, TOPICS } from './load.js'

const eventNames: readonly string[] = EVENT_SPECS.map(spec => spec.name)

describe.each(TOPICS)('%s', topic => {
  test('every case is valid', () => {
    const bad = rawCases(topic).flatMap(one => {
      const result = v.safeParse(caseSchema, one)
      const note = (one as { note?: unknown }).note
      return result.success ? [] : [`${note}: ${JSON.stringify(v.flatten(result.issues))}`]
    })
    expect(bad).toEqual([])
  })
})

describe('all cases', () => {
  const cases = allCases().map(({ case: one }) => one)

  test('no two have the same note', () => {
    const notes = cases.map(one => one.note)
    expect(notes.filter((note, at) => notes.indexOf(note) !== at)).toEqual([])
  })
  test('each names an event and a profile that exist', () => {
    const bad = cases.filter(
      one =>
        !eventNames.includes(one.event) || !(PROFILE_NAMES as readonly string[]).includes(profileOf(one)),
    )
    expect(bad.map(one => one.note)).toEqual([])
  })
  test('each expects something', () => {
    expect(cases.filter(one => Object.keys(one.expect).length === 0).map(one => one.note)).toEqual([])
  })
  test('each has a payload that the event accepts', () => {
    const bad = cases.flatMap(one => {
      const spec = EVENT_SPECS.find(spec => spec.name === one.event)!
      const accepted = acceptFields(spec, payloadOf(one.event, one.payload))
      return accepted.ok ? [] : [`${one.note} ${accepted.problems.map(({ message }) => message).join(' ')}`]
    })
    expect(bad).toEqual([])
  })
  test('Claude settings contain only their own keys', () => {
    const bad = cases.filter(one =>
      one.hooks.some(
        hook =>
          hook.source.startsWith('claude') &&
          (!(eventOf(hook, one) in CLAUDE_NAMES) ||
            hook.failClosed !== undefined ||
            hook.loop_limit !== undefined),
      ),
    )
    expect(bad.map(one => one.note)).toEqual([])
  })
  test('few run with one runner only', () => {
    const only = cases.filter(one => one.only)
    expect(only.length / cases.length).toBeLessThan(0.1)
  })
})

test('every event has a default payload', () => {
  expect(Object.keys(DEFAULT_PAYLOADS).sort()).toEqual([...eventNames].sort())
})

test('the checked-in JSON Schema is current', () => {
  const kept: unknown = JSON.parse(readFileSync(new URL('case.schema.json', import.meta.url), 'utf8'))
  expect(kept).toEqual(schemaOfFile())
})

function schemaOfFile() {
  const { $schema, ...one } = toJsonSchema(caseSchema, { errorMode: 'ignore' })
  return { $schema, title: 'A file of conformance cases', type: 'array', items: one }
}

// A handler receives the payload of any version in one shape.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/any-text.js'
import { EVENT_SPECS, type EventSpec } from '../protocol/events.js'
import { type AnyFields, acceptFields, inVersion } from '../protocol/payload.js'
import { eventsUnder, PROFILE_NAMES, PROFILES, type Profile, type ProfileName } from '../protocol/profiles.js'
import { samplePayload } from '../protocol/samples.js'
import { normalise, versionOf } from './normalise.js'

const pairs = EVENT_SPECS.flatMap(spec =>
  PROFILE_NAMES.filter(name => eventsUnder(PROFILES[name]).has(spec.name)).map(
    name => [spec.name, name, spec] as const,
  ),
)

/** What a version does not send at all, and what it sends instead of something else. */
function unknowable(profile: Profile, spec: EventSpec): ReadonlySet<string> {
  const change = profile.events[spec.name]?.payload
  const ambiguous = Object.values(change?.rename ?? {}).filter(name => name in samplePayload(spec.name))
  return new Set([...(change?.drop ?? []), ...ambiguous, 'cursor_version'])
}

const without = (payload: AnyFields, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => !names.has(name)))

describe('normalise', () => {
  it.each(pairs)('%s of %s is complete', (event, name, spec) => {
    const { payload, problems } = normalise(event, { ...samplePayload(event, name as ProfileName) })
    expect(problems).toEqual([])
    expect(acceptFields(spec, payload)).toMatchObject({ ok: true })
    const always = ['hook_event_name', 'workspace_roots', 'cursor_version', 'user_email']
    const ids = ['conversation_id', 'generation_id', 'model', 'transcript_path', 'session_id']
    for (const field of spec.conversation ? [...always, ...ids] : always)
      expect(payload).toHaveProperty(field)
  })

  it.each(pairs)(
    '%s of %s equals the current payload in the fields that the version sends',
    (event, name, spec) => {
      const profile = PROFILES[name as ProfileName]
      const today = samplePayload(event)
      const { payload } = normalise(event, { ...samplePayload(event, name as ProfileName) })
      const names = unknowable(profile, spec)
      const sent = Object.keys(today).filter(
        field => !names.has(field) && field in without(today, missing(profile, spec)),
      )
      for (const field of sent) expect({ [field]: payload[field] }).toEqual({ [field]: today[field] })
    },
  )

  /** Common fields that the version does not have. */
  function missing(profile: Profile, spec: EventSpec): ReadonlySet<string> {
    const given = inVersion(profile, spec, samplePayload(spec.name))
    const rename = profile.events[spec.name]?.payload?.rename ?? {}
    return new Set(
      Object.keys(samplePayload(spec.name)).filter(field => !((rename[field] ?? field) in given)),
    )
  }

  it('is the same for arbitrary values in every version', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...pairs),
        anyText({ maxLength: 40 }),
        fc.integer({ min: 0, max: 1e6 }),
        ([event, name, spec], text, number) => {
          const profile = PROFILES[name as ProfileName]
          const today: Record<string, unknown> = { ...samplePayload(event), cursor_version: profile.version }
          for (const [field, value] of Object.entries(spec.sample)) {
            const isFree = acceptFields(spec, { ...spec.sample, [field]: text }).ok
            if (typeof value === 'string' && isFree) today[field] = text
            if (typeof value === 'number') today[field] = number
          }
          const sent = { ...inVersion(profile, spec, today) }
          const { payload } = normalise(event, sent)
          const lost = new Set([...unknowable(profile, spec), ...missing(profile, spec)])
          for (const field of Object.keys(spec.sample)) {
            if (lost.has(field)) continue
            if (typeof today[field] === 'number') expect(payload[field]).toBeCloseTo(today[field], 6)
            else expect(payload[field]).toEqual(today[field])
          }
        },
      ),
    )
  })

  it('is idempotent', () => {
    for (const [event, name] of pairs) {
      const once = normalise(event, { ...samplePayload(event, name as ProfileName), cursor_version: '3.1' })
      expect(normalise(event, { ...once.payload })).toEqual(once)
    }
  })

  it('never throws for any values', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...EVENT_SPECS),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (spec, wild) => {
          const sample = Object.fromEntries(
            Object.keys(spec.sample).map((key, i) => [key, Object.values(wild)[i]]),
          )
          const { payload, problems } = normalise(spec.name, { ...wild, ...sample })
          if (problems.length > 0) return
          for (const [field, value] of Object.entries(spec.sample)) {
            if (payload[field] === undefined || payload[field] === null) continue
            expect(Array.isArray(payload[field])).toBe(Array.isArray(value))
            if (value !== null) expect(typeof payload[field]).toBe(typeof value)
          }
        },
      ),
    )
  })

  it.each([
    ['beforeSubmitPrompt', { prompt_text: 'hi' }, { prompt: 'hi' }],
    ['beforeReadFile', { path: '/a', content: '' }, { file_path: '/a' }],
    ['afterFileEdit', { filePath: '/a' }, { file_path: '/a', edits: [] }],
    ['beforeMCPExecution', { tool_name: 'q', tool_input: { a: 1 } }, { tool_input: '{"a":1}' }],
    ['preToolUse', { tool_name: 'q', tool_input: '{"a":1}' }, { tool_input: { a: 1 } }],
    ['preToolUse', { tool_name: 'q', tool_input: null }, { tool_input: {} }],
    ['preToolUse', { tool_name: 'q', tool_input: ' ' }, { tool_input: {} }],
    ['afterMCPExecution', { tool_name: 'q', duration: 0.25, cursor_version: '2.3.41' }, { duration: 250 }],
    ['afterMCPExecution', { tool_name: 'q', duration: 250, cursor_version: '2.4.7' }, { duration: 250 }],
    ['afterShellExecution', { command: 'x', exit_code: '1' }, { exit_code: 1 }],
    ['beforeShellExecution', { command: 'x', cwd: null, sandbox: 'yes' }, { cwd: '', sandbox: false }],
    [
      'beforeSubmitPrompt',
      { prompt: '', attachments: [{ type: 'file', filePath: '/a' }] },
      { attachments: [{ type: 'file', file_path: '/a' }] },
    ],
    ['subagentStart', { subagent_type: 'explore', prompt: 'find' }, { task: 'find' }],
    [
      'subagentStart',
      { subagent_type: 'x', model: 'fast', cursor_version: '2.4.1' },
      { subagent_model: 'fast' },
    ],
    ['subagentStart', { subagent_type: 'x', model: 'slow', cursor_version: '3.0.1' }, { subagent_model: '' }],
    ['stop', { conversation_id: 'c' }, { session_id: 'c', user_email: null, model: '' }],
    [
      'subagentStart',
      { subagent_type: 'x', subagent_model: 'own', model: 'fast', cursor_version: '2.4.1' },
      { subagent_model: 'own', model: 'fast' },
    ],
    [
      'beforeReadFile',
      { file_path: '/a', attachments: [{ file_path: '/b', filePath: '/c' }] },
      { attachments: [{ file_path: '/b', filePath: '/c' }] },
    ],
  ] as const)('%s %j', (event, given, expected) => {
    const { payload, problems } = normalise(event, { hook_event_name: event, ...given })
    expect(problems).toEqual([])
    expect(payload).toMatchObject(expected)
  })

  it.each([
    ['beforeReadFile', { file_path: '/a', path: '/b', filePath: '/c' }, { file_path: '/a' }],
    ['beforeTabFileRead', { file_path: '/a', path: '/b' }, { file_path: '/a' }],
    ['beforeSubmitPrompt', { prompt: 'a', prompt_text: 'b' }, { prompt: 'a' }],
    [
      'beforeMCPExecution',
      { tool_name: 'q', mcp_server_name: 'a', server: 'b', server_name: 'c' },
      { mcp_server_name: 'a' },
    ],
    ['subagentStart', { subagent_type: 'x', task: 'a', prompt: 'b' }, { task: 'a' }],
  ] as const)('%s %j: the name of today counts, and the old one is gone', (event, given, expected) => {
    const { payload, problems } = normalise(event, given)
    expect(problems).toEqual([])
    expect(payload).toMatchObject(expected)
    for (const name of Object.keys(given)) {
      if (!(name in expected) && !['tool_name', 'subagent_type'].includes(name))
        expect(payload).not.toHaveProperty(name)
    }
  })

  it('uses a new list for each default', () => {
    const read = () => normalise('beforeReadFile', { file_path: '/a' }).payload.attachments as unknown[]
    read().push('x')
    expect(read()).toEqual([])
  })

  it.each([
    ['beforeShellExecution', {}, '"command" is missing'],
    ['beforeShellExecution', { command: null }, '"command" is missing'],
    ['beforeShellExecution', { command: ['ls'] }, '"command" is not a string'],
    ['beforeReadFile', { file_path: 7 }, '"file_path" is not a string'],
    ['preToolUse', { tool_name: 'q', tool_input: 'not JSON' }, '"tool_input" is not an object'],
    ['preToolUse', { tool_name: 'q', tool_input: '[1]' }, '"tool_input" is not an object'],
    ['beforeMCPExecution', { tool_name: 'q', tool_input: 7 }, '"tool_input" is not a string'],
  ] as const)('%s %j is not whole', (event, given, problem) => {
    expect(normalise(event, given).problems).toEqual([problem])
  })

  it.each([
    ['2.4.1', '2.4'],
    ['2.3.41', '2.3'],
    ['2', '2.0'],
    ['3', '3'],
    ['3.0.0', '3'],
    ['3.19.13', '3'],
    ['2026.10.01-abc', '3'],
    ['', undefined],
    [undefined, undefined],
    [7, undefined],
  ])('version %s is %s', (cursor_version, version) => expect(versionOf({ cursor_version })).toBe(version))
})

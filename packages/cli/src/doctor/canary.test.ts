import { acceptFields, EVENT_SPECS } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { CANARY, canaryFile, canaryPayload, fileIn } from './canary.js'

describe('a canary', () => {
  it.each(EVENT_SPECS.map(spec => [spec.name, spec] as const))('of %s is a valid event', (_, spec) => {
    expect(acceptFields(spec, canaryPayload(spec, '/project'))).toMatchObject({ ok: true })
    if (!('field' in spec.subject)) return
    for (const example of spec.subject.examples)
      expect(acceptFields(spec, canaryPayload(spec, '/project', example))).toMatchObject({ ok: true })
  })

  it('asks for nothing that would matter', () => {
    const all = EVENT_SPECS.map(spec => JSON.stringify(canaryPayload(spec, '/project')))
    for (const text of all) expect(text).not.toMatch(/--force|rm -rf|production|\.env/)
  })

  it('carries the subject that it is given, and an input that fits the tool', () => {
    const spec = EVENT_SPECS.find(
      ({ subject }) => 'field' in subject && subject.examples.includes('WebFetch'),
    )!
    expect(canaryPayload(spec, '/project', 'Write')).toMatchObject({
      tool_name: 'Write',
      tool_input: { file_path: canaryFile('/project') },
      conversation_id: CANARY,
    })
    expect(canaryPayload(spec, '/project', 'MCP:query').tool_input).toEqual({})
    expect(canaryPayload(spec, '/project', 'constructor').tool_input).toEqual({})
    expect(fileIn(canaryPayload(spec, '/project', 'Read'))).toBe(canaryFile('/project'))
    expect(fileIn(canaryPayload(spec, '/project', 'Shell'))).toBeUndefined()
  })
})

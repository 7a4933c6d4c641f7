import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { EVENT_SPECS, type EventName, type EventSpec } from './events.js'
import { always, conversation } from './fields.js'
import { acceptFields, payloadSchema } from './payload.js'
import { eventsUnder, PROFILE_NAMES, PROFILES } from './profiles.js'
import { samplePayload } from './samples.js'

/** Optional fields that an example without them shows better, and why. */
const NOT_SHOWN: Readonly<Partial<Record<EventName, readonly string[]>>> = {
  sessionEnd: ['error_message'], // it ended well
  subagentStop: ['error_message'], // it ended well
  afterShellExecution: ['cwd', 'exit_code'], // hosts seldom know them
  beforeMCPExecution: ['mcp_server_url', 'url'], // the server of the example has no address
  afterMCPExecution: ['mcp_server_url'],
  beforeReadFile: ['tool_name'], // only when it is not the usual tool
  afterFileEdit: ['tool_name'],
  beforeSubmitPrompt: ['composer_mode'],
  afterAgentResponse: ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
  stop: ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens'],
}

const pairs = PROFILE_NAMES.flatMap(profile =>
  EVENT_SPECS.map(spec => ({ profile, spec, exists: eventsUnder(PROFILES[profile]).has(spec.name) })),
)

const fieldsOf = (spec: EventSpec) =>
  Object.keys({ ...always, ...(spec.conversation ? conversation : {}), ...spec.payload })

describe('samplePayload', () => {
  it.each(EVENT_SPECS)('$name passes the schema of its payload unchanged', spec => {
    const sample = samplePayload(spec.name)
    const schema = payloadSchema(spec) as unknown as v.GenericSchema
    expect(v.parse(schema, sample)).toEqual(sample)
  })

  it.each(EVENT_SPECS)('$name shows every field that it can, and no others', spec => {
    const hidden = NOT_SHOWN[spec.name] ?? []
    const shown = Object.keys(samplePayload(spec.name))
    expect(shown.toSorted()).toEqual(
      fieldsOf(spec)
        .filter(field => !hidden.includes(field))
        .toSorted(),
    )
  })

  it.each(pairs.filter(({ exists }) => exists))(
    '$spec.name in $profile has the fields of that version',
    ({ profile, spec }) => {
      const sample = samplePayload(spec.name, profile)!
      const { common, events } = PROFILES[profile] as (typeof PROFILES)['holdfast'] & {
        events: Record<
          string,
          { payload?: { rename?: Record<string, string>; drop?: string[]; keep?: string[] } }
        >
      }
      const change = events[spec.name]?.payload ?? {}
      const isCommon = (field: string) => field in always || field in conversation
      const renamed = Object.values(change.rename ?? {})
      for (const field of Object.keys(sample)) {
        const allowed = [...common, ...(change.keep ?? []), ...renamed] as string[]
        if (isCommon(field)) expect(allowed).toContain(field)
        expect(change.drop ?? []).not.toContain(field)
        expect(Object.keys(change.rename ?? {}).filter(old => !renamed.includes(old))).not.toContain(field)
      }
      expect(sample.hook_event_name).toBe(spec.name)
    },
  )

  it.each(pairs.filter(({ exists }) => exists))(
    '$spec.name in $profile can be fired again',
    ({ profile, spec }) => {
      expect(acceptFields(spec, samplePayload(spec.name, profile)!)).toMatchObject({ ok: true })
    },
  )

  it.each(pairs.filter(({ exists }) => !exists))('$profile has no $spec.name', ({ profile, spec }) => {
    expect(samplePayload(spec.name, profile)).toBeUndefined()
  })

  it('cannot be changed by who reads it', () => {
    const sample = samplePayload('preToolUse')
    expect(Object.isFrozen(sample)).toBe(true)
    expect(Object.isFrozen(sample.tool_input)).toBe(true)
  })
})

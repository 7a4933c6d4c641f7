// Generated payloads: every event in every version, valid, and with hostile texts.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EVENT_NAMES, findEvent } from '../protocol/events.js'
import { acceptFields } from '../protocol/payload.js'
import { eventsUnder, findProfile, PROFILE_NAMES } from '../protocol/profiles.js'
import { deny, hook } from '../sdk/index.js'
import { given, payloads, sample } from './index.js'

const combinations = PROFILE_NAMES.flatMap(profile =>
  [...eventsUnder(findProfile(profile)!).keys()].map(event => [profile, event] as const),
)

describe('payloads', () => {
  it.each(combinations)('%s %s', (profile, event) => {
    const spec = findEvent(event)!
    fc.assert(
      fc.property(payloads(fc, event, profile), payload => {
        expect(payload.hook_event_name).toBe(event)
        const back = acceptFields(spec, JSON.parse(JSON.stringify(payload)) as Record<string, unknown>)
        if (!back.ok) throw new Error(back.problems.map(({ message }) => message).join(' '))
      }),
      { numRuns: 25 },
    )
  })

  it('contain hostile texts', () => {
    const some = fc.sample(payloads(fc, 'preToolUse'), 400)
    const text = JSON.stringify(some)
    for (const part of ['\\u0000', '\\ud800', '\\n', '\\"', '"__proto__":']) expect(text).toContain(part)
    expect(some.some(payload => JSON.stringify(payload).length > 65_536)).toBe(true)
    // Generating them changes no prototype.
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('reject unknown events and versions', () => {
    expect(() => payloads(fc, 'preToolUse', 'cursor-1.7')).toThrow('cursor-1.7 does not have preToolUse')
    expect(() => payloads(fc, 'nothing' as 'stop')).toThrow('no event')
    expect(() => payloads(fc, 'stop', 'cursor-9' as 'cursor-3')).toThrow('no profile')
  })

  it('are payloads for a case', async () => {
    const program = hook({
      beforeShellExecution: ({ command }) => (command.includes('rm') ? deny('No.') : undefined),
    })
    await fc.assert(
      fc.asyncProperty(payloads(fc, 'beforeShellExecution'), async payload => {
        const one = given('beforeShellExecution', payload).at(program)
        await (payload.command.includes('rm') ? one.denies('No.') : one.abstains())
      }),
      { numRuns: 50 },
    )
  })
})

describe('samples', () => {
  it.each(EVENT_NAMES)('%s', event => {
    const one = sample(event)
    expect(one.hook_event_name).toBe(event)
    // A copy: changes do not reach other tests.
    Object.assign(one, { hook_event_name: 'changed' })
    expect(sample(event).hook_event_name).toBe(event)
  })

  it('have the field names of their version', () => {
    expect(sample('beforeSubmitPrompt', 'cursor-2.3')).toHaveProperty('prompt_text')
    expect(sample('preToolUse', 'cursor-1.7')).toBeUndefined()
  })
})

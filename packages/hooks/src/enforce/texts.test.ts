// What a denied action leaves behind: the texts for the user and the model, and the fields of the event that follows.

import { describe, expect, it } from 'vitest'
import { eventOf } from '../../../../tests/fixtures/definition.js'
import type { EventSpec } from '../protocol/events.js'
import type { Verdict } from '../protocol/verdict.js'
import { blockTexts, denialFields } from './enforce.js'

const { spec } = eventOf('preToolUse')
const verdict = (over: Partial<Verdict> = {}) =>
  ({ userMessage: null, agentMessage: null, followupMessage: null, ...over }) as Verdict
const blockedBy = (blocked: EventSpec['blocked'], given: Partial<Verdict> = {}, extra?: string) =>
  blockTexts({ ...spec, blocked } as EventSpec, { file_path: '/a' }, verdict(given), extra)

describe('the texts of a stopped action', () => {
  it('have words of their own where the event has none', () => {
    const words = 'The action was blocked by a hook'
    expect(blockedBy(undefined)).toEqual({ user: words, agent: words })
    expect(blockedBy({} as never)).toEqual({ user: words, agent: words })
  })

  it('are those of the event, for the model those for the user where it has no others', () => {
    expect(blockedBy({ user: 'No {file_path}{none}' } as never)).toEqual({ user: 'No /a', agent: 'No /a' })
    expect(blockedBy({ user: 'No', agent: 'Never' } as never)).toEqual({ user: 'No', agent: 'Never' })
    expect(blockedBy({ user: 'No', agentNote: 'Go on.' } as never).agent).toBe('No\nGo on.')
  })

  it('are completed by the message of a hook, or followed by it', () => {
    expect(blockedBy({ user: 'No' } as never, { userMessage: 'why' }).user).toBe('No: why')
    expect(blockedBy({ user: 'No. Or' } as never, { userMessage: 'why' }).user).toBe('No. Or: why')
    for (const end of ['.', '!', '?'])
      expect(blockedBy({ user: `No${end}` } as never, { userMessage: 'why' }).user).toBe(`No${end} why`)
  })

  it('give the model its own message, or else that of the user', () => {
    const given = { userMessage: 'for you', agentMessage: 'for it' }
    expect(blockedBy({ user: 'No' } as never, given)).toEqual({ user: 'No: for you', agent: 'No: for it' })
    expect(blockedBy({ user: 'No' } as never, { userMessage: 'for you' }).agent).toBe('No: for you')
  })

  it('begin with what the engine adds', () => {
    expect(blockedBy({ user: 'No' } as never, {}, 'Nobody is here.').user).toBe('No: Nobody is here.')
    expect(blockedBy({ user: 'No' } as never, { userMessage: 'why' }, 'Nobody is here.').user).toBe(
      'No: Nobody is here.\n\nwhy',
    )
  })

  it('cannot bring in another field through a field', () => {
    const texts = blockTexts(
      { ...spec, blocked: { user: '{a}' } } as never,
      { a: '{b}', b: 'secret' },
      verdict(),
    )
    expect(texts.user).toBe('{b}')
  })
})

describe('the event after a denial', () => {
  const denies = { tool: 'Tool {name}', input: ['command', 'cwd'] }
  const fieldsOf = (fields: Record<string, unknown>, over: object = denies) =>
    denialFields({ ...spec, denies: over } as never, fields, { user: 'u', agent: 'for the model' })

  it('is none where no tool call was denied', () => {
    expect(denialFields({ ...spec, denies: undefined } as never, {}, { user: '', agent: '' })).toBeUndefined()
  })

  it('names the tool, and what the model reads', () => {
    expect(fieldsOf({ name: 'x' })).toMatchObject({
      tool_name: 'Tool x',
      error_message: 'for the model',
      failure_type: 'permission_denied',
      is_interrupt: false,
    })
  })

  it.each([
    [{ tool_use_id: 'use', tool_call_id: 'call' }, 'use'],
    [{ tool_call_id: 'call' }, 'call'],
    [{ tool_use_id: 'use' }, 'use'],
    [{}, ''],
  ])('has the id of the call: %j', (fields, id) => {
    expect(fieldsOf(fields)?.tool_use_id).toBe(id)
  })

  it.each([
    ['/here', '/here'],
    [undefined, ''],
    [null, ''],
    [7, ''],
  ])('has the folder of the call: %j', (cwd, folder) => {
    expect(fieldsOf({ cwd })?.cwd).toBe(folder)
  })

  it('has the input: the fields that were there, or the one field that is the input', () => {
    expect(fieldsOf({ command: 'ls' })?.tool_input).toEqual({ command: 'ls' })
    expect(Object.keys(fieldsOf({ command: 'ls' })!.tool_input as object)).toEqual(['command'])
    expect(fieldsOf({ command: 'ls', cwd: '/' })?.tool_input).toEqual({ command: 'ls', cwd: '/' })
    const whole = { tool: 'x', input: ['tool_input'] }
    expect(fieldsOf({ tool_input: { a: 1 } }, whole)?.tool_input).toEqual({ a: 1 })
    expect(fieldsOf({}, whole)?.tool_input).toEqual({})
    const part = { tool: 'x', input: ['tool_input', 'cwd'] }
    expect(fieldsOf({ tool_input: { a: 1 }, cwd: '/' }, part)?.tool_input).toEqual({
      tool_input: { a: 1 },
      cwd: '/',
    })
  })
})

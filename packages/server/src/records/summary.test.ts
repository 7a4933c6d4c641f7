import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/any-text.js'
import { summaryOf, tidy } from './summary.js'

describe('a summary', () => {
  it.each([
    [{ command: 'git status', cwd: '/x' }, 'git status'],
    [{ file_path: '/x/.env', content: 'SECRET' }, '/x/.env'],
    [{ prompt: 'Write\n\n  a   test' }, 'Write a test'],
    [{ tool_name: 'Shell', tool_input: { command: 'ls', timeout: 3 } }, 'Shell ls'],
    [
      { tool_name: 'query', mcp_server_name: 'db', tool_input: '{"sql":"select 1"}' },
      'query db {"sql":"select 1"}',
    ],
    [{ tool_name: 'Read', file_path: '/x' }, 'Read /x'],
    [{ subagent_type: 'explore', task: 'Find it' }, 'explore Find it'],
    [{ reason: 'user_close' }, 'user_close'],
    [{ nothing: 'of this' }, ''],
    [null, ''],
    [[], ''],
    [{ command: { not: 'text' } }, ''],
  ])('of %j', (request, expected) => expect(summaryOf(request)).toBe(expected))

  it('is one line of at most 300 characters, whatever comes', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 700 }), fc.integer({ min: 2, max: 300 }), (text, most) => {
        const line = tidy(text, most)
        expect(line.length).toBeLessThanOrEqual(most)
        expect(line).not.toMatch(/\p{Cc}/u)
        expect(Buffer.from(line).toString()).toBe(line)
      }),
    )
  })
})

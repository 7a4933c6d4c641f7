import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openPlace, type Place } from '../agent/testing/place.js'
import { editsOf, withChanges } from './edits.js'
import { openTab } from './tab.js'

describe('inline completion', () => {
  let place: Place
  beforeEach(() => {
    place = openPlace()
  })
  afterEach(() => place.close())

  it('asks before it reads, and tells what it changed', async () => {
    const deny = { command: `echo '{"permission":"deny","user_message":"Secret."}'`, matcher: '\\.env$' }
    place.audit({ beforeTabFileRead: [deny] })
    const tab = openTab((await place.open()).resumeSession())
    const file = `${place.workspace}/a.ts`
    expect(await tab.read(file, 'let a = 1\n')).toEqual({ kind: 'go', content: 'let a = 1\n' })
    expect(await tab.read(`${place.workspace}/.env`, 'KEY=1\n')).toEqual({
      kind: 'blocked',
      reason: 'File reading was blocked by a hook: Secret.',
    })
    const change = { start: 4, end: 5, text: 'count' }
    expect(withChanges('let a = 1\n', [change])).toBe('let count = 1\n')
    await tab.edited(file, 'let a = 1\n', [change])
    expect(place.audited()).toMatchObject([
      { hook_event_name: 'beforeTabFileRead', file_path: file, content: 'let a = 1\n' },
      { hook_event_name: 'beforeTabFileRead' },
      {
        hook_event_name: 'afterTabFileEdit',
        file_path: file,
        edits: [
          {
            old_string: 'a',
            new_string: 'count',
            range: { start_line_number: 1, start_column: 5, end_line_number: 1, end_column: 6 },
            old_line: 'let a = 1',
            new_line: 'let count = 1',
          },
        ],
      },
    ])
  })

  it('that changes nothing tells nothing', async () => {
    place.audit()
    const tab = openTab((await place.open()).resumeSession())
    await tab.edited('/a', 'same', [{ start: 0, end: 4, text: 'same' }])
    expect(place.audited()).toEqual([])
  })
})

describe('places', () => {
  it.each([
    ['', 0, 0, 'x', [1, 1, 1, 1], '', 'x'],
    ['a\nbc\n', 2, 4, 'x', [2, 1, 2, 3], 'bc', 'x'],
    ['a\nbc\nd', 1, 5, '', [1, 2, 3, 1], 'a\nbc\nd', 'ad'],
    ['a\n', 2, 2, 'b\n', [2, 1, 2, 1], '', 'b\n'],
    ['\n\n', 1, 1, 'x', [2, 1, 2, 1], '', 'x'],
  ])(
    '%j from %i to %i',
    (before, start, end, text, [line, column, endLine, endColumn], old_line, new_line) => {
      expect(editsOf(before, [{ start, end, text }])).toMatchObject([
        {
          range: {
            start_line_number: line,
            start_column: column,
            end_line_number: endLine,
            end_column: endColumn,
          },
          old_line,
          new_line,
        },
      ])
    },
  )

  it.each([
    [[{ start: 2, end: 1, text: '' }], 'not inside'],
    [[{ start: -1, end: 1, text: '' }], 'not inside'],
    [[{ start: 0, end: 9, text: '' }], 'not inside'],
    [[{ start: 0.5, end: 1, text: '' }], 'not inside'],
    [
      [
        { start: 0, end: 2, text: '' },
        { start: 1, end: 3, text: '' },
      ],
      'overlap',
    ],
  ])('%j are refused', (changes, words) => expect(() => withChanges('abc', changes)).toThrow(words))

  it('lead back to what was replaced', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r', 'ü'), maxLength: 30 })
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), texts, (before, a, b, text) => {
        const [start = 0, end = 0] = [a, b].map(each => each % (before.length + 1)).sort((x, y) => x - y)
        for (const { range, old_string } of editsOf(before, [{ start, end, text }])) {
          const lines = before.split('\n')
          const offset = (line: number, column: number) =>
            lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1
          const from = offset(range.start_line_number, range.start_column)
          expect(before.slice(from, offset(range.end_line_number, range.end_column))).toBe(old_string)
        }
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearest } from '../config/report.js'
import { editDistance } from '../protocol/edit-distance.js'
import { EVENT_NAMES } from '../protocol/events.js'

describe('nearest', () => {
  test.each([
    ['STOP', 'stop'],
    ['sub-agent-stop', 'subagentStop'],
    ['afterFileEdits', 'afterFileEdit'],
    ['beforeReadFiel', 'beforeReadFile'],
    ['beforeMcpExecution', 'beforeMCPExecution'],
    ['beforePromptSubmit', undefined],
    ['notification', undefined],
    ['x', undefined],
    ['', undefined],
    ['stop'.repeat(100), undefined],
  ])('%s → %s', (word, expected) => {
    expect(nearest(word, EVENT_NAMES)).toBe(expected)
  })

  test('a distance is one', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
        const distance = editDistance(a, b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance === 0).toBe(a === b)
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
      }),
    )
    expect(editDistance('ab', 'ba')).toBe(1)
  })
})

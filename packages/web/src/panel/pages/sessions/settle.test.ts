import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { SessionSummarySchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { settle } from './settle.js'

const sessions = (...ids: string[]) => ids.map(id => create(SessionSummarySchema, { id }))
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join('')

describe('the list of sessions', () => {
  it('is what the server says while nobody is held up', () => {
    expect(settle(sessions('a', 'b'), sessions('c', 'b', 'a'), false)).toMatchObject({ waiting: 0 })
    expect(ids(settle(sessions('a', 'b'), sessions('c', 'b', 'a'), false).shown)).toBe('cba')
    expect(ids(settle([], sessions('a'), true).shown)).toBe('a')
  })

  it('keeps its order while somebody reads, with new figures, and says how many are newer', () => {
    const [b, c, a] = sessions('b', 'c', 'a')
    const { shown, waiting } = settle(sessions('a', 'b'), [{ ...b!, runs: 9 }, c!, a!], true)
    expect(ids(shown)).toBe('ab')
    expect(shown[1]).toMatchObject({ runs: 9 })
    expect(waiting).toBe(1)
  })

  it('grows at its end as one scrolls', () => {
    expect(ids(settle(sessions('a', 'b'), sessions('a', 'b', 'c', 'd'), true).shown)).toBe('abcd')
  })
})

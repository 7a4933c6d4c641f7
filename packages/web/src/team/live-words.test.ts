import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { LiveStateSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { formerOf, liveSentence, reachWords } from './live-words.js'

type Row = readonly [revision: number, active: number, more?: object]
const live = (state: string, released: number, ...rows: readonly Row[]) =>
  create(LiveStateSchema, {
    state,
    released,
    release: 5,
    rings: [
      {
        ring: 'all',
        revisions: rows.map(([revision, active, more]) => ({ revision, active, ...more })),
      },
    ],
  } satisfies MessageInitShape<typeof LiveStateSchema>)

describe('what is live', () => {
  it.each([
    [live('active', 1, [1, 37]), 'Revision 1 on all 37 devices.', '37 of 37'],
    [live('partial', 2, [2, 2], [1, 35]), 'Revision 2 on 2 of 37 devices, revision 1 on 35.', '2 of 37'],
    [
      live('partial', 2, [2, 2, { failed: 1 }], [0, 3, { silent: 4 }]),
      'Revision 2 on 2 of 5 devices, not on 3, failed on 1, 4 silent.',
      '2 of 5',
    ],
    [live('released', 2, [0, 3]), 'Revision 2 is in release 5 and on no device yet.', '0 of 3'],
    [
      live('released', 2, [1, 3]),
      'Revision 2 is in release 5 and on no device yet, revision 1 on 3.',
      '0 of 3',
    ],
    [live('released', 2), 'Revision 2 is in release 5 and on no device yet.', ''],
    [live('removing', 0, [2, 1, { silent: 2 }], [0, 9]), 'Not in release 5, and still on 3 devices.', ''],
    [live('removed', 0), 'Not in release 5, and on no device.', ''],
    [live('killed', 2, [0, 9]), 'Revision 2 is in release 5, but the kill switch is on.', '0 of 9'],
    [live('draft', 0), 'Never published.', ''],
  ])('is one sentence', (state, sentence, reach) => {
    expect(liveSentence(state)).toBe(sentence)
    expect(reachWords(state)).toBe(reach)
  })

  it('of a revision that no device has yet is the one before', () => {
    expect(formerOf(live('released', 2, [1, 35], [0, 2]))).toEqual({ revision: 1, reach: '35 of 37' })
    expect(formerOf(live('released', 1, [0, 37]))).toBeUndefined()
    expect(formerOf(live('partial', 2, [2, 1], [1, 36]))).toBeUndefined()
  })
})

import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RunSummarySchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { isMatch, type RunFilter } from './run-filter.js'

describe('what belongs to the list', () => {
  const all: RunFilter = { from: '', to: '', verdicts: [], events: [], hooks: [], sources: [], text: '' }
  const one = create(RunSummarySchema, {
    id: '1',
    at: '2026-11-16T12:00:00Z',
    verdict: 'deny',
    event: 'a',
    hooks: [
      { group: 'h', source: 'user' },
      { group: 'i', source: 'team' },
    ],
  })

  it('is what every filter lets through', () => {
    expect(isMatch(all, one)).toBe(true)
    expect(isMatch({ ...all, verdicts: ['ask', 'deny'], hooks: ['i'] }, one)).toBe(true)
    expect(isMatch({ ...all, verdicts: ['deny'], sources: ['project'] }, one)).toBe(false)
    expect(isMatch({ ...all, from: '2026-11-16T12:00:00Z' }, one)).toBe(true)
    expect(isMatch({ ...all, to: '2026-11-16T12:00:00Z' }, one)).toBe(false)
  })
})

import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { RunSummarySchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { type Asked, fits } from './asked.js'

describe('what belongs to the list', () => {
  const all: Asked = { from: '', to: '', verdicts: [], events: [], hooks: [], sources: [], text: '' }
  const one = create(RunSummarySchema, {
    id: '1',
    at: '2026-11-16T12:00:00Z',
    verdict: 'deny',
    event: 'a',
    hook: 'h',
    source: 'user',
  })

  it('is what every filter lets through', () => {
    expect(fits(all, one)).toBe(true)
    expect(fits({ ...all, verdicts: ['ask', 'deny'], hooks: ['h'] }, one)).toBe(true)
    expect(fits({ ...all, verdicts: ['deny'], sources: ['project'] }, one)).toBe(false)
    expect(fits({ ...all, from: '2026-11-16T12:00:00Z' }, one)).toBe(true)
    expect(fits({ ...all, to: '2026-11-16T12:00:00Z' }, one)).toBe(false)
  })
})

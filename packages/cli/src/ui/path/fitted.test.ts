import { describe, expect, it } from 'vitest'
import { beginningOf, fitted, limitFor } from './fitted.js'
import type { PathShape, StepShape } from './shape.js'

const step: StepShape = {
  runId: 'r1',
  source: 'project',
  hook: 'guard.sh',
  file: '',
  line: 0,
  verdict: 'allow',
  startMs: 0,
  durationMs: 1,
  signal: '',
  failure: '',
  message: '',
  answerJson: '',
  stderr: '',
  notes: [],
  observed: false,
  would: '',
  decided: false,
  cuts: [],
}

const path: PathShape = {
  event: 'stop',
  profile: 'holdfast',
  at: '',
  subject: '',
  conversationId: '',
  payloadJson: '{}',
  steps: [step],
  skipped: [],
  skippedKnown: false,
  verdict: 'none',
  merged: '',
  durationMs: 1,
  userMessage: '',
  agentMessage: '',
  updatedInputJson: '',
  additionalContext: '',
  followupMessage: '',
  env: [],
  redacted: [],
  problems: [],
  notes: [],
  cuts: [],
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('a path that is small', () => {
  it('stays as it is', () => expect(fitted(path)).toEqual(path))
})

describe('a path that is large', () => {
  it('keeps what is short, and of long texts the beginning, with the size of the whole', () => {
    const { payloadJson, cuts, steps } = fitted(
      { ...path, payloadJson: 'p'.repeat(5000), steps: [{ ...step, stderr: 's'.repeat(90), hook: 'h' }] },
      1000,
      0,
    )
    expect(cuts).toEqual([{ text: 'payloadJson', bytes: 5000 }])
    expect(payloadJson).toMatch(/^p{800,1000}$/)
    expect(steps[0]).toMatchObject({ stderr: 's'.repeat(90), cuts: [] })
  })

  it('shares the limit between long texts', () => {
    const { payloadJson, steps } = fitted(
      { ...path, payloadJson: 'p'.repeat(5000), steps: [{ ...step, stderr: 's'.repeat(9000) }] },
      1000,
      0,
    )
    expect(payloadJson.length).toBe(steps[0]!.stderr.length)
    expect(steps[0]!.cuts).toEqual([{ text: 'stderr', bytes: 9000 }])
  })

  it('is not large any more, whatever it is that was', () => {
    const huge = 'é'.repeat(1_000_000)
    const words = Array.from({ length: 100_000 }, (_, index) => `${index} ${'w'.repeat(50)}`)
    const steps = Array.from({ length: 128 }, () => ({ ...step, hook: huge, notes: words, stderr: huge }))
    const small = fitted({ ...path, event: huge, redacted: words, env: [huge], payloadJson: huge, steps })
    expect(bytesOf(small)).toBeLessThan(450 * 1024)
    expect(small.event).toMatch(/^é+…$/)
    expect(small.redacted.at(-1)).toMatch(/^and 99800 more$|…$/)
  })
})

describe('the beginning of a text', () => {
  it('ends between two characters', () => {
    const text = 'aé€😀'
    expect([0, 1, 2, 3, 5, 6, 9, 10, 99].map(bytes => beginningOf(text, bytes))).toEqual([
      ...['', 'a', 'a', 'aé', 'aé', 'aé€', 'aé€', text, text],
    ])
  })
})

describe('the share of each', () => {
  it.each([
    [[1, 2, 3], 6, Number.POSITIVE_INFINITY],
    [[10, 2, 30], 20, 9],
    [[100], 30, 30],
    [[], 10, Number.POSITIVE_INFINITY],
  ])('of %j in %i is %d', (sizes, most, limit) => expect(limitFor(sizes, most)).toBe(limit))
})

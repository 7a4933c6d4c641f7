import { create } from '@bufbuild/protobuf'
import { EvidenceSchema, ReleaseSchema, RolloutSettingsSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import {
  changesBetween,
  haltedWords,
  limitSentences,
  meaning,
  minutes,
  ringsOf,
  sentence,
  settingsProblems,
  stateOf,
} from './words.js'

const settings = (more: object = {}) =>
  create(RolloutSettingsSchema, {
    rings: [
      { name: 'canary', share: 0.05 },
      { name: 'all', share: 1 },
    ],
    soakMinutes: 60,
    failureLimit: 0.02,
    denialLimit: 0.2,
    releaseDays: 365,
    revertDepth: 10,
    ...more,
  })
const release = (more: object = {}) =>
  create(ReleaseSchema, {
    number: 4,
    state: 'rolling',
    ring: 0,
    ringSince: '2026-01-01T00:00:00Z',
    health: [
      { ring: 'canary', devices: 14, silent: 2, inSync: 11, seenInSync: 10 },
      { ring: 'all', devices: 200 },
    ],
    evidence: { runs: 12.5, runsNeeded: 20 },
    ...more,
  })
const at = Date.parse('2026-01-01T00:20:00Z')

describe('rings', () => {
  it('say what each waits for', () => {
    const [first, last] = ringsOf(release(), settings(), at)
    expect(first).toMatchObject({
      place: 'here',
      seen: 12,
      onIt: 10,
      silent: 2,
      gate: '40 min left, 12 of 20 runs seen',
    })
    expect(last).toMatchObject({ place: 'ahead', gate: 'everybody' })
  })
  it('by hand, passed, and not yet set out', () => {
    expect(ringsOf(release(), settings({ soakMinutes: 0 }), at)[0]!.gate).toBe('goes on by hand')
    expect(ringsOf(release({ state: 'halted' }), settings(), at)[0]).toMatchObject({
      place: 'here',
      gate: 'goes on when somebody resumes it',
    })
    expect(ringsOf(release({ ring: 1, state: 'done' }), settings(), at)[0]).toMatchObject({
      place: 'reached',
      gate: 'passed',
    })
    expect(ringsOf(release({ state: 'unsigned' }), settings(), at)[0]).toMatchObject({
      place: 'ahead',
      gate: 'goes on after 1 h and 20 runs',
    })
    expect(
      ringsOf(release({ evidence: { runs: 25, runsNeeded: 20 } }), settings(), at + 3_600_000)[0]!.gate,
    ).toBe('time is up, enough runs seen')
  })
  it('are replaced by a newer release', () => {
    expect(stateOf(release(), 4)).toBe('rolling')
    expect(stateOf(release(), 5)).toBe('replaced')
    expect(stateOf(release({ state: 'halted' }), 5)).toBe('halted')
  })
})

describe('limits', () => {
  it('are a sentence with the value of now', () => {
    const evidence = create(EvidenceSchema, {
      failureRate: 0.004,
      failingDevices: 4,
      denialRate: 0.1,
      denyingDevices: 4,
      denialLimit: 0.2,
      devicesNeeded: 3,
      devicesNeededAtOnce: 3,
    })
    expect(limitSentences(evidence, settings())).toEqual([
      'Halts above 2 % failed runs on at least 3 devices; now 0.4 % on 4.',
      'Halts above 20 % denied runs on at least 3 devices; now 10 % on 4.',
      'Halts at once when the first 5 runs fail on 3 devices.',
      'Fewer than 3 devices show 0 %, however bad they are: none counts for more than the last of so many.',
    ])
    expect(limitSentences({ ...evidence, denialLimit: 0.3 }, settings())).toHaveLength(5)
    expect(
      limitSentences({ ...evidence, devicesNeeded: 1, devicesNeededAtOnce: 1 }, settings()),
    ).toHaveLength(3)
  })
})

describe('settings', () => {
  it('say what they mean', () => {
    expect(meaning(settings())).toBe(
      'A release goes to canary (the first 5 %), then all (everybody); each step after 1 h and 20 runs. It halts by itself above 2 % failed or 20 % denied runs, and can be taken for 365 days.',
    )
    expect(meaning(settings({ rings: [{ name: 'all', share: 1 }] }))).toMatch(
      /^A release reaches everybody at once\./,
    )
  })
  it.each([
    [{}, []],
    [{ rings: [] }, ['rings']],
    [{ rings: [{ name: 'a', share: 0.5 }] }, ['ring 0']],
    [
      {
        rings: [
          { name: 'a', share: 0.5 },
          { name: 'a', share: 1 },
        ],
      },
      ['ring 1'],
    ],
    [
      {
        rings: [
          { name: 'a', share: 0.5 },
          { name: 'b', share: 0.4 },
          { name: 'c', share: 1 },
        ],
      },
      ['ring 1'],
    ],
    [
      { soakMinutes: -1, failureLimit: 2, releaseDays: Number.NaN },
      ['soakMinutes', 'releaseDays', 'failureLimit'],
    ],
  ])('say what is wrong with them', (more, fields) => {
    expect([...settingsProblems(settings(more)).keys()]).toEqual(fields)
  })
  it('minutes in words', () => {
    expect([0, 5, 60, 90, 1440, 1500].map(minutes)).toEqual([
      '0 min',
      '5 min',
      '1 h',
      '1 h 30 min',
      '1 d',
      '1 d 1 h',
    ])
  })
})

it('a roll back says what it changes', () => {
  const with_ = (hooks: object[]) => release({ hooks })
  const now = with_([
    { hookId: 1, revision: 4, name: 'Guard', change: 'changed' },
    { hookId: 2, revision: 1, name: 'New', change: 'added' },
    { hookId: 3, revision: 2, name: 'Gone', change: 'removed' },
  ])
  const then = with_([
    { hookId: 1, revision: 2, name: 'Guard', change: 'same' },
    { hookId: 3, revision: 2, name: 'Gone', change: 'same' },
  ])
  expect(changesBetween(now, then)).toEqual([
    { name: 'Guard', words: 'revision 4 → 2' },
    { name: 'Gone', words: 'comes back with revision 2' },
    { name: 'New', words: 'is taken out' },
  ])
})

describe('a halt', () => {
  it.each([
    ['', 'Halted'],
    ['server', 'Halted by itself'],
    ['ada@example.com', 'Halted by ada@example.com'],
  ])('by %j', (by, words) => expect(haltedWords(by)).toBe(words))

  it.each([
    ['', ''],
    ['on 3 devices every one failed', 'On 3 devices every one failed.'],
    ['Why not?', 'Why not?'],
  ])('because %j', (text, said) => expect(sentence(text)).toBe(said))
})

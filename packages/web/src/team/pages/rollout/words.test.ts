import { create } from '@bufbuild/protobuf'
import { EvidenceSchema, ReleaseSchema, RolloutSettingsSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import {
  changesBetween,
  deviceWords,
  haltedWords,
  limitSentences,
  meaning,
  minutes,
  ringsOf,
  sentence,
  settingsProblems,
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
      { ring: 'canary', devices: 14, progress: { active: 10, pending: 1, failed: 1, silent: 2 } },
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
      place: 'current',
      target: 12,
      active: 10,
      failed: 1,
      silent: 2,
      gate: 'Advances in 40 min, 12 of 20 runs',
    })
    expect(last).toMatchObject({ place: 'ahead', gate: '' })
  })
  it('by hand, passed, and not yet set out', () => {
    expect(ringsOf(release(), settings({ soakMinutes: 0 }), at)[0]!.gate).toBe('Advances by hand')
    expect(ringsOf(release({ state: 'halted' }), settings(), at)[0]).toMatchObject({
      place: 'current',
      gate: 'Resume the release to continue',
    })
    expect(ringsOf(release({ ring: 1, state: 'done' }), settings(), at)[0]).toMatchObject({
      place: 'reached',
      gate: '',
    })
    expect(ringsOf(release({ state: 'unsigned' }), settings(), at)[0]).toMatchObject({
      place: 'ahead',
      gate: 'Advances after 1 h and 20 runs',
    })
    expect(
      ringsOf(release({ evidence: { runs: 25, runsNeeded: 20 } }), settings(), at + 3_600_000)[0]!.gate,
    ).toBe('Waiting time has passed, enough runs')
  })
  it('of a replaced release count down to nothing', () => {
    const [first] = ringsOf(release({ state: 'replaced' }), settings(), at)
    expect(first).toMatchObject({ place: 'reached', gate: '' })
  })
})

describe('the devices of a release', () => {
  it.each([
    ['rolling', { active: 2, pending: 3, failed: 1, silent: 4 }, 'on 2 of 6 devices, failed on 1, 4 silent'],
    ['done', { active: 37 }, 'on 37 devices'],
    ['done', {}, 'on no device'],
    ['replaced', { active: 1, silent: 2 }, 'still on 1 device'],
    ['replaced', { silent: 2 }, 'on no device'],
    ['unsigned', {}, ''],
  ])('of one that is %s: %j', (state, devices, words) => {
    expect(deviceWords(release({ state, devices }))).toBe(words)
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
    ])
    expect(limitSentences({ ...evidence, denialLimit: 0.3 }, settings())).toHaveLength(4)
    expect(
      limitSentences({ ...evidence, devicesNeeded: 1, devicesNeededAtOnce: 1 }, settings()),
    ).toHaveLength(3)
  })
})

describe('settings', () => {
  it('say what they mean', () => {
    expect(meaning(settings())).toBe(
      'A release goes to canary (the first 5 %), then all (all devices) and advances after 1 h and 20 runs. The server halts it above 2 % failed or 20 % denied runs. It expires after 365 days.',
    )
    expect(meaning(settings({ rings: [{ name: 'all', share: 1 }] }))).toMatch(
      /^A release reaches all devices at once\./,
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
    { name: 'Gone', words: 'restored, revision 2' },
    { name: 'New', words: 'removed' },
  ])
})

describe('a halt', () => {
  it.each([
    ['', 'Halted'],
    ['server', 'Halted by the server'],
    ['ada@example.com', 'Halted by ada@example.com'],
  ])('by %j', (by, words) => expect(haltedWords(by)).toBe(words))

  it.each([
    ['', ''],
    ['on 3 devices every one failed', 'On 3 devices every one failed.'],
    ['Why not?', 'Why not?'],
  ])('because %j', (text, said) => expect(sentence(text)).toBe(said))
})

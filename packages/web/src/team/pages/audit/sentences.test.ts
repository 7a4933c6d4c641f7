import { ACTIONS, type ActionKind } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { moment } from '../../../words/time.js'
import { plain, sentenceOf } from './sentences.js'
import { type Told, whoIn } from './told.js'

const DEVICE = '0123456789abcdef0123456789abcdef'
const TEAM = '5e6e0000000000000000000000000000'
const TODAY: Told['names'] = new Map([
  [`device ${DEVICE}`, 'laptop of today'],
  ['member ada@example.com', 'Ada'],
  ['member bo@example.com', 'Bo'],
  ['hook 3', 'guard-push'],
  [`team ${TEAM}`, 'Acme'],
])

const told = (action: string, subject = '', detail: object = {}, actor = 'ada@example.com'): Told => ({
  id: '1',
  at: '2026-06-15T12:00:00.000Z',
  actor,
  action,
  subject,
  detailJson: JSON.stringify(detail),
  hash: '',
  prev: '',
  names: TODAY,
})
const said = (...about: Parameters<typeof told>) => plain(sentenceOf(told(...about)))

type Example = readonly [subject: string, detail: object, sentence: string, actor?: string]

/** At least one of every kind: a new kind has no sentence until somebody has read it here. */
const EXAMPLES: { readonly [kind in ActionKind]: readonly Example[] } = {
  'team.found': [
    [`team ${TEAM}`, { name: 'Acme of old', fingerprint: 'f' }, 'created the team Acme of old', 'server'],
    [`team ${TEAM}`, { fingerprint: 'f' }, 'created the team Acme', 'server'],
  ],
  'team.kill': [
    [
      `team ${TEAM}`,
      { reason: 'it hangs' },
      'switched the kill switch on, which disables all hooks: it hangs',
    ],
  ],
  'team.emergency-kill': [
    [
      `team ${TEAM}`,
      { reason: 'it hangs' },
      'switched the kill switch on alone, in an emergency, which disables all hooks: it hangs',
    ],
  ],
  'team.revive': [[`team ${TEAM}`, { reason: '' }, 'switched the kill switch off, which enables the hooks']],
  'member.invite': [['cy@example.com', { role: 'author' }, 'invited cy@example.com as an author']],
  'member.uninvite': [['cy@example.com', {}, 'withdrew the invitation of cy@example.com']],
  'member.join': [
    [
      'ada@example.com',
      { role: 'owner', by: 'server', way: 'link' },
      'joined the team as an owner by the link of the server',
    ],
    [
      'ada@example.com',
      { role: 'author', by: 'bo@example.com', way: 'oidc' },
      'joined the team as an author, invited by bo@example.com',
    ],
    [
      'ada@example.com',
      { role: 'auditor', by: 'domain', way: 'oidc' },
      'joined the team as an auditor, admitted by the domain of their address',
    ],
  ],
  'member.role': [
    ['bo@example.com', { from: 'author', to: 'admin' }, 'changed the role of Bo from author to admin'],
    [
      'bo@example.com',
      { from: 'admin', to: 'auditor', enrolment_keys: 2, ended: ['a', 'b'] },
      'changed the role of Bo from admin to auditor, which ended 2 enrolment keys',
    ],
  ],
  'member.remove': [['gone@example.com', { role: 'admin' }, 'removed gone@example.com, who was an admin']],
  'member.owner-link': [['9f', {}, 'created an owner sign-in link', 'server']],
  'token.create': [
    [
      't1',
      { name: 'ci', role: 'author', days: 90 },
      'created the token ci with the role author, for 90 days',
    ],
  ],
  'token.revoke': [['t1', { name: 'ci' }, 'revoked the token ci']],
  'device.enrol': [
    [DEVICE, { name: 'laptop', by: 'ada@example.com', again: false }, 'enrolled the device laptop'],
    [
      DEVICE,
      { name: 'laptop', by: 'key for the fleet', again: true },
      'enrolled again with the enrolment key for the fleet',
      `device ${DEVICE}`,
    ],
  ],
  'device.group': [
    [DEVICE, { from: '', to: 'desks' }, 'moved the device laptop of today to the group desks'],
    [
      DEVICE,
      { name: 'laptop', from: 'desks', to: 'build' },
      'moved the device laptop to the group build instead of desks',
    ],
    [DEVICE, { name: 'laptop', from: 'desks', to: '' }, 'removed the device laptop from the group desks'],
  ],
  'device.owner': [
    [
      DEVICE,
      { name: 'laptop', from: '', to: 'bo@example.com' },
      'made bo@example.com the owner of the device laptop',
    ],
    [
      DEVICE,
      { name: 'laptop', from: 'bo@example.com', to: 'cy@example.com' },
      'made cy@example.com the owner of the device laptop instead of bo@example.com',
    ],
    [
      DEVICE,
      { name: 'laptop', from: 'bo@example.com', to: '' },
      'removed the owner bo@example.com of the device laptop',
    ],
  ],
  'device.revoke': [
    [DEVICE, { name: 'laptop', reason: 'stolen' }, 'revoked the device laptop: stolen'],
    ['f'.repeat(32), {}, 'revoked the device ffffffff…'],
  ],
  'device.leave': [[DEVICE, {}, 'left the team', `device ${DEVICE}`]],
  'enrolment-key.create': [
    [
      'k1',
      { note: 'the fleet', group: 'desks', max_uses: 5, hours: 24 },
      'made the enrolment key the fleet for 5 devices of the group desks, valid for 24 hours',
    ],
    [
      '0123456789abcdef01',
      { note: '', group: '', max_uses: 1, hours: 1 },
      'made an enrolment key without a note, 01234567… for 1 device, valid for 1 hour',
    ],
  ],
  'enrolment-key.revoke': [
    ['k1', { note: 'the fleet', devices: 0 }, 'revoked the enrolment key the fleet'],
    ['k1', { note: 'the fleet', devices: 3 }, 'revoked the enrolment key the fleet, and with it 3 devices'],
  ],
  'member.second-factor': [
    ['ann@example.com', { on: true }, 'set up a second factor'],
    ['ann@example.com', { on: false }, 'switched their second factor off'],
  ],
  'hook.create': [['hook 3', { name: 'guard', version: 1 }, 'created the hook guard']],
  'hook.draft': [['hook 3', { name: 'guard', version: 4 }, 'saved a draft of the hook guard']],
  'hook.approve-unrun': [
    ['hook 3', { reason: 'x' }, 'approved, without a dry run, the draft of the hook guard-push'],
  ],
  'hook.discard': [
    ['hook 3', {}, 'discarded the draft of the hook guard-push'],
    ['hook 9', {}, 'discarded the draft of the hook 9'],
  ],
  'release.publish': [
    [
      'release 5',
      { state: 'rolling', ring: 'canary', changed: [{ name: 'guard-push', revision: 3 }], hooks: ['3@3'] },
      'published revision 3 of guard-push to the ring canary, as release 5',
    ],
    [
      'release 6',
      {
        state: 'done',
        ring: 'everyone',
        at_once: true,
        changed: [
          { name: 'a', revision: 1 },
          { name: 'b', revision: 2 },
        ],
        removed: ['c'],
      },
      'published revision 1 of a and 1 more hook for everybody at once, as release 6, which also takes 1 hook out',
    ],
    [
      'release 7',
      { state: 'rolling', ring: 'canary', removed: ['c'] },
      'took c out, beginning with the ring canary, as release 7',
    ],
    [
      'release 8',
      { state: 'unsigned', ring: 'canary', changed: [{ name: 'a', revision: 1 }] },
      'prepared revision 1 of a to be signed, as release 8',
    ],
    ['release 2', { state: 'rolling', hooks: ['3@1', '4@1'] }, 'published release 2 with 2 hooks'],
  ],
  'release.roll-back': [
    ['release 9', { rolls_back_to: 5 }, 'rolled all devices back to release 5, as release 9'],
  ],
  'release.sign': [['release 8', { key: 'ab' }, 'signed release 8']],
  'release.advance': [
    ['release 5', { ring: 'early', state: 'rolling' }, 'took release 5 on to the ring early'],
    ['release 5', { ring: 'everyone', state: 'done' }, 'took release 5 on to the ring everyone, its last'],
  ],
  'release.halt': [
    [
      'release 5',
      { ring: 'canary', state: 'halted', reason: '4 % failed' },
      'halted release 5 in the ring canary: 4 % failed',
      'server',
    ],
  ],
  'release.resume': [
    ['release 5', { ring: 'canary', state: 'rolling' }, 'resumed release 5 in the ring canary'],
  ],
  'release.pin': [
    [
      `device ${DEVICE}`,
      { name: 'laptop', release: 4, until: '2026-07-01T10:00:00.000Z', reason: 'a demo' },
      `pinned the device laptop to release 4 until ${moment('2026-07-01T10:00:00.000Z')}: a demo`,
    ],
    ['group desks of Bo', { release: 4 }, 'pinned the group desks of Bo to release 4'],
  ],
  'release.unpin': [
    [`device ${DEVICE}`, { release: 4 }, 'unpinned the device laptop of today from release 4'],
  ],
  'rollout.settings': [
    [
      `team ${TEAM}`,
      { before: { failureLimit: 0.02, rings: [1] }, after: { failureLimit: 0.1, rings: [2] } },
      'changed the rollout settings: the rings, the limit of failed runs from 2 % to 10 %',
    ],
    [`team ${TEAM}`, { before: {}, after: {} }, 'changed the rollout settings, without a change'],
  ],
  'change.request': [
    [
      'release 3',
      { method: 'RolloutService/RollBack' },
      'asked a second admin to confirm RollBack of release 3',
    ],
  ],
  'change.refuse': [
    ['release 3', { method: 'RolloutService/RollBack' }, 'refused the request for RollBack of release 3'],
  ],
  'keys.prepare': [
    ['key 1234', { use: 'release' }, 'created a new release key, which the root keys must sign'],
  ],
  'keys.trust': [['trust 3', {}, 'activated version 3 of the keys, signed by the root keys']],
  'records.request-shortening': [
    [
      `team ${TEAM}`,
      { before: 90, after: 7 },
      'asked to keep records for less time, 7 days; another admin must confirm it',
    ],
  ],
  'records.confirm-shortening': [
    [
      `team ${TEAM}`,
      { before: 90, after: 7 },
      'confirmed that records are kept for less time, 7 days, in seven days',
    ],
  ],
  'records.hold': [[`team ${TEAM}`, { reason: 'case 12' }, 'put records under a legal hold: case 12']],
  'records.lift-hold': [[`team ${TEAM}`, {}, 'lifted the legal hold of records']],
  'records.retention': [
    [`team ${TEAM}`, { before: 90, after: 30 }, 'changed how long records are kept from 90 days to 30 days'],
  ],
}

describe('an admin action as a sentence', () => {
  it.each(ACTIONS)('%s', kind => {
    expect(EXAMPLES[kind]?.length).toBeGreaterThan(0)
    for (const [subject, detail, sentence, actor] of EXAMPLES[kind]) {
      expect(said(kind, subject, detail, actor)).toBe(sentence)
    }
  })

  it.each(ACTIONS)('%s says something also when its detail is none, or garbage', kind => {
    for (const detailJson of [
      '',
      'null',
      '[]',
      '7',
      '{"changed":[null,1,"x"],"removed":{},"hooks":"no","name":{}}',
    ]) {
      expect(plain(sentenceOf({ ...told(kind), detailJson }))).toMatch(/^[a-z]/)
    }
  })

  it('of a kind that is not known here is what it is called', () => {
    expect(said('moon.landing', 'crater 7')).toBe('moon landing crater 7')
    expect(said('constructor', 'x')).toBe('constructor x')
  })

  it('keeps names whole, however long: only ids are cut', () => {
    const long = 'a name of more than sixteen letters'
    const changed = [{ name: long, revision: 2 }]
    expect(said('release.publish', 'release 3', { ring: long, changed })).toBe(
      `published revision 2 of ${long} to the ring ${long}, as release 3`,
    )
    expect(said('device.group', DEVICE, { from: long, to: `${long}s` })).toContain(
      `${long}s instead of ${long}`,
    )
    expect(said('member.remove', 'somebody.else@example.com')).toBe('removed somebody.else@example.com')
    expect(whoIn(told('hook.draft', 'hook 3', {}, 'somebody.else@example.com')).text).toBe(
      'somebody.else@example.com',
    )
  })

  it('keeps the id of what it names, and shows what cannot be seen', () => {
    const [, named] = sentenceOf(told('device.revoke', DEVICE, { name: 'lap\u202etop' }))
    expect(named).toEqual({ text: 'lap\\u202etop', id: DEVICE })
  })
})

describe('who did it', () => {
  it.each([
    ['ada@example.com', { text: 'Ada', id: 'ada@example.com', beside: 'ada@example.com' }],
    ['gone@example.com', { text: 'gone@example.com', id: '', beside: '' }],
    ['server', { text: 'The server', id: '', beside: '' }],
    ['nobody', { text: 'An unauthenticated caller', id: '', beside: '' }],
    [`device ${DEVICE}`, { text: 'laptop of today', id: DEVICE, beside: 'device' }],
    [`device ${'f'.repeat(32)}`, { text: 'ffffffff…', id: 'f'.repeat(32), beside: 'device' }],
  ])('%s', (actor, who) => expect(whoIn(told('release.sign', '', {}, actor))).toEqual(who))

  it('is a device by the name that it had then', () => {
    const left = told('device.leave', DEVICE, { name: 'laptop of old' }, `device ${DEVICE}`)
    expect(whoIn(left).text).toBe('laptop of old')
  })
})

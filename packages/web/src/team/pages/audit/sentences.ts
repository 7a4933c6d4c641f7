// An action as a sentence after the name of its actor. Each kind of action has one; the compiler reports a missing one.

import type { ActionKind } from '@holdfast/team/messages'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import {
  type About,
  as,
  because,
  device,
  enrolmentKey,
  hook,
  isAmount,
  joinedBy,
  keysEnded,
  member,
  pinned,
  published,
  ring,
  type Sentence,
  settings,
  textOf,
  until,
  was,
} from './clauses.js'
import { fieldsIn, named, type Told, thing } from './told.js'

export function sentenceOf(told: Told): Sentence {
  // The server is newer than the page.
  if (!isKnown(told.action)) return [`${line(told.action.replace('.', ' '))} `, thing(told.subject)]
  return SENTENCES[told.action]({
    ...told,
    detail: fieldsIn(told.detailJson),
    called: (kind, id) => told.names.get(`${kind} ${id}`),
    rest: told.subject.slice(told.subject.indexOf(' ') + 1),
  })
}

export const plain = (sentence: Sentence): string =>
  sentence.map(part => (typeof part === 'string' ? part : part.text)).join('')

const isKnown = (action: string): action is ActionKind => Object.hasOwn(SENTENCES, action)

const SENTENCES: { readonly [kind in ActionKind]: (about: About) => Sentence } = {
  'team.found': ({ rest, detail, called }) => [
    'created the team ',
    thing(rest, detail.name, called('team', rest)),
  ],
  'team.kill': ({ detail }) => ['switched the kill switch on, which disables all hooks', ...because(detail)],
  'team.emergency-kill': ({ detail }) => [
    'switched the kill switch on alone, in an emergency, which disables all hooks',
    ...because(detail),
  ],
  'team.revive': ({ detail }) => [
    'switched the kill switch off, which enables the hooks',
    ...because(detail),
  ],
  'member.invite': about => ['invited ', member(about), ...as(about.detail.role)],
  'member.uninvite': about => ['withdrew the invitation of ', member(about)],
  'member.join': ({ detail }) => ['joined the team', ...as(detail.role), ...joinedBy(detail)],
  'member.role': about => [
    'changed the role of ',
    member(about),
    ` from ${line(textOf(about.detail.from)) || 'none'} to ${line(textOf(about.detail.to)) || 'none'}`,
    ...keysEnded(about.detail),
  ],
  'member.remove': about => ['removed ', member(about), ...was(about.detail), ...keysEnded(about.detail)],
  'member.owner-link': () => ['created an owner sign-in link'],
  'token.create': ({ subject, detail }) => [
    'created the token ',
    thing(subject, detail.name),
    ...(textOf(detail.role) === '' ? [] : [` with the role ${line(textOf(detail.role))}`]),
    ...(isAmount(detail.days) ? [`, for ${count(detail.days, 'day')}`] : []),
  ],
  'token.revoke': ({ subject, detail }) => ['revoked the token ', thing(subject, detail.name)],
  'device.enrol': about => {
    const how = about.detail.again === true ? 'enrolled again' : 'enrolled'
    // A device that enrols by a key is its own actor.
    if (!about.actor.startsWith('device ')) return [`${how} the device `, device(about)]
    const by = textOf(about.detail.by)
    return by.startsWith('key ') ? [`${how} with the enrolment key `, named(by.slice('key '.length))] : [how]
  },
  'device.group': about => {
    const [from, to] = [textOf(about.detail.from), textOf(about.detail.to)]
    if (to === '') return ['removed the device ', device(about), ' from the group ', named(from)]
    return [
      'moved the device ',
      device(about),
      ' to the group ',
      named(to),
      ...(from === '' ? [] : [' instead of ', named(from)]),
    ]
  },
  'device.owner': about => {
    const [from, to] = [textOf(about.detail.from), textOf(about.detail.to)]
    if (to === '') return ['removed the owner ', named(from), ' of the device ', device(about)]
    return [
      'made ',
      named(to),
      ' the owner of the device ',
      device(about),
      ...(from === '' ? [] : [' instead of ', named(from)]),
    ]
  },
  'device.revoke': about => ['revoked the device ', device(about), ...because(about.detail)],
  'device.leave': () => ['left the team'],
  'enrolment-key.create': ({ subject, detail }) => [
    ...enrolmentKey('made', subject, detail),
    ...(isAmount(detail.max_uses) ? [` for ${count(detail.max_uses, 'device')}`] : []),
    ...(textOf(detail.group) === '' ? [] : [' of the group ', named(textOf(detail.group))]),
    ...(isAmount(detail.hours) ? [`, valid for ${count(detail.hours, 'hour')}`] : []),
  ],
  'enrolment-key.revoke': ({ subject, detail }) => [
    ...enrolmentKey('revoked', subject, detail),
    ...(isAmount(detail.devices) && detail.devices > 0
      ? [`, and with it ${count(detail.devices, 'device')}`]
      : []),
  ],
  'member.second-factor': ({ detail }) => [
    detail.on === true ? 'set up a second factor' : 'switched their second factor off',
  ],
  'hook.create': about => ['created the hook ', hook(about)],
  'hook.draft': about => ['saved a draft of the hook ', hook(about)],
  'hook.approve-unrun': about => ['approved, without a dry run, the draft of the hook ', hook(about)],
  'hook.discard': about => ['discarded the draft of the hook ', hook(about)],
  'release.publish': ({ rest, detail }) => published(rest, detail),
  'release.roll-back': ({ rest, detail }) => [
    'rolled all devices back to ',
    named(`release ${textOf(detail.rolls_back_to) || 'before'}`),
    `, as release ${line(rest)}`,
  ],
  'release.sign': ({ rest }) => ['signed ', named(`release ${rest}`)],
  'release.advance': ({ rest, detail }) => ['took ', named(`release ${rest}`), ...ring(' on to', detail)],
  'release.halt': ({ rest, detail }) => [
    'halted ',
    named(`release ${rest}`),
    ...ring(' in', detail),
    ...because(detail),
  ],
  'release.resume': ({ rest, detail }) => ['resumed ', named(`release ${rest}`), ...ring(' in', detail)],
  'release.pin': about => [
    'pinned ',
    ...pinned(about),
    ` to release ${textOf(about.detail.release)}`,
    ...until(about.detail),
    ...because(about.detail),
  ],
  'release.unpin': about => ['unpinned ', ...pinned(about), ` from release ${textOf(about.detail.release)}`],
  'rollout.settings': ({ detail }) => ['changed the rollout settings', ...settings(detail)],
  'change.request': ({ subject, detail }) => [
    'asked a second admin to confirm ',
    named(textOf(detail.method).split('/').pop() ?? ''),
    ` of ${line(subject)}`,
  ],
  'change.refuse': ({ subject, detail }) => [
    'refused the request for ',
    named(textOf(detail.method).split('/').pop() ?? ''),
    ` of ${line(subject)}`,
  ],
  'keys.prepare': ({ detail }) => [
    `created a new ${line(textOf(detail.use))} key, which the root keys must sign`,
  ],
  'keys.trust': ({ rest }) => [`activated version ${line(rest)} of the keys, signed by the root keys`],
  'records.request-shortening': ({ detail }) => [
    'asked to keep records for less time',
    ...(isAmount(detail.after) ? [`, ${count(detail.after, 'day')}; another admin must confirm it`] : []),
  ],
  'records.confirm-shortening': ({ detail }) => [
    'confirmed that records are kept for less time',
    ...(isAmount(detail.after) ? [`, ${count(detail.after, 'day')}, in seven days`] : []),
  ],
  'records.hold': ({ detail }) => ['put records under a legal hold', `: ${line(textOf(detail.reason))}`],
  'records.lift-hold': () => ['lifted the legal hold of records'],
  'records.retention': ({ detail }) => [
    'changed how long records are kept',
    ...(isAmount(detail.before) && isAmount(detail.after)
      ? [` from ${count(detail.before, 'day')} to ${count(detail.after, 'day')}`]
      : []),
  ],
}

// Parts of the sentences about actions. Their input comes from an action, and may be anything.

import { count, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import { moment } from '../../../words/time.js'
import { type ActionFields, isFields, type Kind, named, type Thing, type Told, thing } from './told.js'

export type Sentence = readonly (string | Thing)[]

export interface About extends Told {
  readonly detail: ActionFields
  readonly called: (kind: Kind, id: string) => string | undefined
  /** For a subject that starts with its kind: "hook 3". */
  readonly rest: string
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
export const isAmount = (value: unknown): value is number => typeof value === 'number'
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

export const member = ({ subject, called }: About): Thing =>
  thing(subject, called('member', subject), subject)
export const device = ({ subject, detail, called }: About): Thing =>
  thing(subject, detail.name, called('device', subject))
export const hook = ({ rest, detail, called }: About): Thing =>
  thing(`hook ${rest}`, detail.name, called('hook', rest), rest)

export const because = ({ reason }: ActionFields): Sentence =>
  textOf(reason) === '' ? [] : [`: ${line(textOf(reason))}`]
const a = (role: string): string => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${line(role)}`
export const as = (role: unknown): Sentence => (textOf(role) === '' ? [] : [` as ${a(textOf(role))}`])
export const was = ({ role }: ActionFields): Sentence =>
  textOf(role) === '' ? [] : [`, who was ${a(textOf(role))}`]

export function joinedBy({ by, way }: ActionFields): Sentence {
  const who = textOf(by)
  if (who === 'domain') return [', admitted by the domain of their address']
  if (who === 'server') return [' by the link of the server']
  return who === '' || way === undefined ? [] : [', invited by ', named(who)]
}

export const keysEnded = ({ enrolment_keys: ended }: ActionFields): Sentence =>
  isAmount(ended) && ended > 0 ? [`, which ended ${count(ended, 'enrolment key')}`] : []

export const enrolmentKey = (did: string, id: string, { note }: ActionFields): Sentence =>
  textOf(note) === ''
    ? [`${did} an enrolment key without a note, `, thing(id)]
    : [`${did} the enrolment key `, thing(id, note)]

export const ring = (how: string, { ring: name, state }: ActionFields): Sentence =>
  textOf(name) === ''
    ? []
    : [
        `${how} the ring `,
        named(textOf(name)),
        ...(state === 'done' && how === ' on to' ? [', its last'] : []),
      ]

/** By its first hook, and the number of others. Older ones only have the number of hooks in the release. */
export function published(number: string, detail: ActionFields): Sentence {
  const fresh = listOf(detail.changed).filter(isFields)
  const gone = listOf(detail.removed).filter(each => typeof each === 'string')
  const release = named(`release ${number}`)
  const did = detail.state === 'unsigned' ? 'prepared' : 'published'
  const more = (others: number) => (others > 0 ? [` and ${count(others, 'more hook')}`] : [])
  if (fresh[0]) {
    return [
      `${did} revision ${line(textOf(fresh[0].revision))} of `,
      named(textOf(fresh[0].name)),
      ...more(fresh.length - 1),
      ...where(detail),
      ', as ',
      release,
      ...(gone.length > 0 ? [`, which also takes ${count(gone.length, 'hook')} out`] : []),
    ]
  }
  if (gone[0])
    return [
      'took ',
      named(gone[0]),
      ...more(gone.length - 1),
      ' out',
      ...where(detail, ', beginning with'),
      ', as ',
      release,
    ]
  return [`${did} `, release, ` with ${count(listOf(detail.hooks).length, 'hook')}`, ...where(detail)]
}

function where(detail: ActionFields, to = ' to'): Sentence {
  if (detail.state === 'unsigned') return [' to be signed']
  if (detail.at_once === true) return [' for everybody at once']
  return textOf(detail.ring) === '' ? [] : [`${to} the ring `, named(textOf(detail.ring))]
}

export function pinned({ subject, rest, detail, called }: About): Sentence {
  if (subject.startsWith('group ')) return ['the group ', named(rest)]
  return ['the device ', thing(rest, detail.name, called('device', rest))]
}

export function until({ until: when }: ActionFields): Sentence {
  const at = Date.parse(textOf(when))
  return Number.isNaN(at) ? [] : [` until ${moment(at)}`]
}

const SETTINGS: Readonly<Record<string, string>> = {
  rings: 'the rings',
  soakMinutes: 'the soak time',
  failureLimit: 'the limit of failed runs',
  denialLimit: 'the limit of denials',
  releaseDays: 'the lifetime of releases',
  revertDepth: 'the releases that devices may return to',
  records: 'the recorded runs',
  fourEyes: 'the confirmation by a second admin',
}

export function settings({ before, after }: ActionFields): Sentence {
  if (!isFields(before) || !isFields(after)) return []
  const names = Object.keys(SETTINGS).filter(
    name => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  if (names.length === 0) return [', without a change']
  return [`: ${names.map(name => `${SETTINGS[name]}${change(before[name], after[name], name)}`).join(', ')}`]
}

/** Only for two short values. */
function change(before: unknown, after: unknown, name: string): string {
  if (!isAmount(before) || !isAmount(after)) return ''
  const say = name.endsWith('Limit') ? percent : String
  return ` from ${say(before)} to ${say(after)}`
}

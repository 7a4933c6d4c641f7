// Does the version send what it reads, under the name that it reads?

import {
  type PayloadChange,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
  payloadSchema,
} from '@holdfast/hooks/protocol'
import { isGuard, list, type Rule, type There } from './finding.js'

const changeIn = ({ profile, spec }: There): PayloadChange => profile.events[spec.name]?.payload ?? {}

export const renamed: Rule = (subject, there) => {
  const { reads } = subject.traits
  const names = Object.entries(changeIn(there).rename ?? {}).filter(
    ([today, then]) => reads.has(today) && !reads.has(then),
  )
  if (names.length === 0) return undefined
  return {
    effect: isGuard(subject) ? 'weaker' : 'differs',
    what: `It seems to read ${list(names.map(([today, then]) => `${today}, which is called ${then}`))}.`,
    fix: `Read ${list(names.map(([today, then]) => `${today} or, without it, ${then}`))}.`,
    at: reads.get(names[0]![0]),
  }
}

/** A name that only other versions use. */
export const oldName: Rule = (subject, there) => {
  const { traits, spec } = subject
  const then = changeIn(there).rename ?? {}
  const today = new Set(Object.keys(payloadSchema(spec).entries))
  const old = PROFILE_NAMES.flatMap(name =>
    Object.entries((PROFILES[name] as Profile).events[spec.name]?.payload?.rename ?? {}),
  ).filter(
    ([own, name]) =>
      !today.has(name) && traits.reads.has(name) && !traits.reads.has(own) && then[own] !== name,
  )
  const [first] = old
  if (!first) return undefined
  const [own, name] = first
  return {
    effect: isGuard(subject) ? 'weaker' : 'differs',
    what: `It seems to read ${name}, which is called ${then[own] ?? own}.`,
    fix: `Read ${own} or, without it, ${name}.`,
    at: traits.reads.get(name),
  }
}

export const unsent: Rule = ({ traits, spec }, there) => {
  const { drop = [], keep = [], rename = {} } = changeIn(there)
  const own = (name: string) => Object.hasOwn(spec.payload, name)
  const all = Object.keys(payloadSchema(spec).entries)
  const isSent = (name: string) =>
    own(name) ? !drop.includes(name) : there.profile.common.includes(name) || keep.includes(name)
  const arrivals = new Set(Object.values(rename))
  const lost = all.filter(name => traits.reads.has(name) && !isSent(name) && !arrivals.has(name))
  if (lost.length === 0) return undefined
  return {
    effect: 'differs',
    what: `It seems to read ${list(lost)}, which ${lost.length > 1 ? 'are' : 'is'} not sent.`,
    fix: 'Get along without: take a default when it is absent.',
    at: traits.reads.get(lost[0]!),
  }
}

export const inSeconds: Rule = ({ traits }, there) => {
  const names = (changeIn(there).seconds ?? []).filter(name => traits.reads.has(name))
  if (names.length === 0) return undefined
  return {
    effect: 'differs',
    what: `It seems to read ${list(names)}, which comes in seconds instead of milliseconds.`,
    fix: 'Look at cursor_version before you compare it with a limit.',
    at: traits.reads.get(names[0]!),
  }
}

export const attachmentKey: Rule = (subject, there) => {
  const { reads } = subject.traits
  const key = changeIn(there).attachmentKey
  const isConcerned = reads.has('attachments') && reads.has('file_path')
  if (key === undefined || !isConcerned || reads.has(key)) return undefined
  return {
    effect: isGuard(subject) ? 'weaker' : 'differs',
    what: `It seems to read file_path of attachments, which is called ${key}.`,
    fix: `Read file_path or, without it, ${key}.`,
    at: reads.get('attachments'),
  }
}

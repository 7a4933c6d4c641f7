// The state, the rings and the limits of a release, in words.

import type { Evidence, Release, RingHealth, RolloutSettings } from '@holdfast/team/messages'
import { count, figure, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'

export const STATES: Readonly<Record<string, { readonly word: string; readonly tone: string }>> = {
  unsigned: { word: 'awaiting signature', tone: 'ask' },
  rolling: { word: 'rolling out', tone: 'accent' },
  done: { word: 'in all rings', tone: 'allow' },
  halted: { word: 'halted', tone: 'deny' },
  replaced: { word: 'replaced', tone: 'none' },
}

/** A signed release below the newest one: its hooks can be restored. `all`: the newest first. */
export const canRollBackTo = ({ number, state }: Release, all: readonly Release[]): boolean =>
  state === 'replaced' ||
  (state === 'done' && all.some(newer => newer.number > number && newer.state === 'rolling'))

/** On 33 of 37 devices, failed on 1. A replaced release may still be on some. */
export function deviceWords({ devices, state }: Pick<Release, 'devices' | 'state'>): string {
  const { active = 0, pending = 0, failed = 0, silent = 0 } = devices ?? {}
  const target = active + pending + failed
  const on =
    target > active ? `on ${figure(active)} of ${count(target, 'device')}` : `on ${count(active, 'device')}`
  if (state === 'replaced' || state === 'halted') return active === 0 ? 'on no device' : `still ${on}`
  if (state === 'unsigned') return ''
  return [
    target === 0 ? 'on no device' : on,
    ...(failed > 0 ? [`failed on ${figure(failed)}`] : []),
    ...(silent > 0 ? [`${figure(silent)} silent`] : []),
  ].join(', ')
}

/** 90 min is 1 h 30 min. */
export function minutes(value: number): string {
  const [days, hours, rest] = [Math.floor(value / 1440), Math.floor(value / 60) % 24, Math.round(value % 60)]
  const parts = [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : '']
  return parts.filter(Boolean).join(' ') || '0 min'
}

export interface RingView {
  readonly name: string
  readonly place: 'reached' | 'current' | 'ahead'
  /** When the next ring gets it; empty for a release that is replaced. */
  readonly gate: string
  readonly active: number
  /** Devices that have the release or should have it, and were seen. */
  readonly target: number
  readonly failed: number
  readonly silent: number
  readonly health: RingHealth
}

/** The rings in order, each with the condition under which the next one gets the release. */
export function ringsOf(release: Release, settings: RolloutSettings, now: number): RingView[] {
  const last = release.health.length - 1
  return release.health.map((health, index) => {
    const { active = 0, pending = 0, failed = 0, silent = 0 } = health.progress ?? {}
    return {
      name: line(health.ring),
      place: placeOf(release, index),
      gate:
        release.state === 'replaced' || (index === last && release.state !== 'unsigned')
          ? ''
          : gateOf(release, settings, index, now),
      active,
      target: active + pending + failed,
      failed,
      silent,
      health,
    }
  })
}

function placeOf({ state, ring }: Release, index: number): RingView['place'] {
  if (state === 'unsigned' || index > ring) return 'ahead'
  return index === ring && (state === 'rolling' || state === 'halted') ? 'current' : 'reached'
}

function gateOf(release: Release, { soakMinutes }: RolloutSettings, index: number, now: number): string {
  if (release.state === 'halted') {
    return index === release.ring ? 'Resume the release to continue' : ''
  }
  const needed = release.evidence?.runsNeeded ?? 20
  const usual =
    soakMinutes === 0 ? 'Advances by hand' : `Advances after ${minutes(soakMinutes)} and ${needed} runs`
  if (index !== release.ring || release.state !== 'rolling' || soakMinutes === 0) {
    return index < release.ring && release.state !== 'unsigned' ? '' : usual
  }
  const left = Math.ceil((Date.parse(release.ringSince) + soakMinutes * 60_000 - now) / 60_000)
  const runs = Math.floor(release.evidence?.runs ?? 0)
  const time = left > 0 ? `Advances in ${minutes(left)}` : 'Waiting time has passed'
  const evidence = runs >= needed ? 'enough runs' : `${runs} of ${needed} runs`
  return `${time}, ${evidence}`
}

export function limitSentences(evidence: Evidence, settings: RolloutSettings): string[] {
  const on = `on at least ${count(evidence.devicesNeeded, 'device')}`
  return [
    `Halts above ${percent(settings.failureLimit)} failed runs ${on}; now ${percent(evidence.failureRate)} on ${figure(evidence.failingDevices)}.`,
    `Halts above ${percent(evidence.denialLimit)} denied runs ${on}; now ${percent(evidence.denialRate)} on ${figure(evidence.denyingDevices)}.`,
    `Halts at once when the first 5 runs fail on ${count(evidence.devicesNeededAtOnce, 'device')}.`,
    ...(evidence.denialLimit > settings.denialLimit
      ? [
          `The denial limit is ${percent(settings.denialLimit)} or twice the rate of the previous release, whichever is higher.`,
        ]
      : []),
  ]
}

/** The settings in one paragraph. */
export function meaning({
  rings,
  soakMinutes,
  failureLimit,
  denialLimit,
  releaseDays,
}: RolloutSettings): string {
  const steps = rings.map(({ name, share }, index) => {
    const upTo = index === rings.length - 1 ? 'all devices' : `the first ${percent(share)}`
    return `${line(name)} (${upTo})`
  })
  const way =
    rings.length === 1
      ? 'A release reaches all devices at once'
      : `A release goes to ${steps.slice(0, -1).join(', then ')}, then ${steps.at(-1)}`
  const pace =
    rings.length === 1
      ? ''
      : soakMinutes === 0
        ? ' and advances by hand'
        : ` and advances after ${minutes(soakMinutes)} and 20 runs`
  return `${way}${pace}. The server halts it above ${percent(failureLimit)} failed or ${percent(denialLimit)} denied runs. It expires after ${count(releaseDays, 'day')}.`
}

/** The problems of settings by field, as the server would report them. */
export function settingsProblems(settings: RolloutSettings): ReadonlyMap<string, string> {
  const problems = new Map<string, string>()
  const { rings } = settings
  if (rings.length === 0 || rings.length > 10) problems.set('rings', 'There must be 1 to 10 rings.')
  rings.forEach(({ name, share }, index) => {
    const before = rings[index - 1]?.share ?? 0
    const isLast = index === rings.length - 1
    if (!/^[\w -]{1,40}$/.test(name)) problems.set(`ring ${index}`, 'A name of 1 to 40 letters and digits.')
    else if (rings.some((other, at) => at < index && other.name === name))
      problems.set(`ring ${index}`, 'Another ring has this name.')
    else if (isLast && share !== 1) problems.set(`ring ${index}`, 'The last ring must be 100 %.')
    else if (!(share > before && share <= 1))
      problems.set(`ring ${index}`, `Its share must be above ${percent(before)} and at most 100 %.`)
  })
  const inside = (field: keyof RolloutSettings, from: number, to: number, unit = '') => {
    const value = settings[field] as number
    if (!(value >= from && value <= to)) problems.set(field, `From ${figure(from)} to ${figure(to)}${unit}.`)
  }
  inside('soakMinutes', 0, 43_200, ' minutes')
  inside('releaseDays', 1, 3650, ' days')
  inside('revertDepth', 1, 100, ' releases')
  for (const field of ['failureLimit', 'denialLimit'] as const)
    if (!(settings[field] >= 0 && settings[field] <= 1)) problems.set(field, 'From 0 to 100 %.')
  return problems
}

/** The changes that a roll back makes to the hooks. */
export function changesBetween(from: Release, to: Release): { name: string; words: string }[] {
  const held = (release: Release) =>
    new Map(release.hooks.filter(({ change }) => change !== 'removed').map(hook => [hook.hookId, hook]))
  const [now, then] = [held(from), held(to)]
  const changes: { name: string; words: string }[] = []
  for (const [id, hook] of then) {
    const other = now.get(id)
    if (!other) changes.push({ name: hook.name, words: `restored, revision ${hook.revision}` })
    else if (other.revision !== hook.revision)
      changes.push({ name: hook.name, words: `revision ${other.revision} → ${hook.revision}` })
  }
  for (const [id, hook] of now) if (!then.has(id)) changes.push({ name: hook.name, words: 'removed' })
  return changes
}

export const haltedWords = (by: string): string =>
  by === '' ? 'Halted' : by === 'server' ? 'Halted by the server' : `Halted by ${line(by)}`

/** A reason as a complete sentence. */
export const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!…]$/.test(text) ? '' : '.'}`

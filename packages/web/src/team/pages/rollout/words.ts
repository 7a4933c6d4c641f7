// How a release stands, in sentences.

import type { Evidence, Release, RingHealth, RolloutSettings } from '@holdfast/team/messages'
import { count, figure, percent } from '../../../words/number.js'
import { line } from '../../../words/plain.js'

export const STATES: Readonly<Record<string, { readonly word: string; readonly tone: string }>> = {
  unsigned: { word: 'waits for its signature', tone: 'ask' },
  rolling: { word: 'rolling out', tone: 'accent' },
  done: { word: 'everywhere', tone: 'allow' },
  halted: { word: 'halted', tone: 'deny' },
  replaced: { word: 'replaced', tone: 'none' },
}

/** A release that a newer one has overtaken is no longer on its way. */
export const stateOf = (release: Release, newest: number): string =>
  (release.state === 'rolling' || release.state === 'done') && release.number < newest
    ? 'replaced'
    : release.state

/** 90 min is 1 h 30 min. */
export function minutes(value: number): string {
  const [days, hours, rest] = [Math.floor(value / 1440), Math.floor(value / 60) % 24, Math.round(value % 60)]
  const parts = [days > 0 ? `${days} d` : '', hours > 0 ? `${hours} h` : '', rest > 0 ? `${rest} min` : '']
  return parts.filter(Boolean).join(' ') || '0 min'
}

export interface RingView {
  readonly name: string
  readonly place: 'reached' | 'here' | 'ahead'
  readonly gate: string
  readonly seen: number
  readonly onIt: number
  readonly silent: number
  readonly health: RingHealth
}

/** The rings from left to right, and under each what must happen before the next one is reached. */
export function ringsOf(release: Release, settings: RolloutSettings, now: number): RingView[] {
  const last = release.health.length - 1
  return release.health.map((health, index) => ({
    name: line(health.ring),
    place:
      release.state === 'unsigned'
        ? 'ahead'
        : index < release.ring
          ? 'reached'
          : index === release.ring
            ? 'here'
            : 'ahead',
    gate: index === last ? 'everybody' : gateOf(release, settings, index, now),
    seen: Math.max(0, health.devices - health.silent),
    onIt: health.seenInSync,
    silent: health.silent,
    health,
  }))
}

function gateOf(release: Release, { soakMinutes }: RolloutSettings, index: number, now: number): string {
  if (release.state === 'halted') {
    if (index < release.ring) return 'passed'
    return index === release.ring ? 'goes on when somebody resumes it' : 'waits'
  }
  const needed = release.evidence?.runsNeeded ?? 20
  const usual =
    soakMinutes === 0 ? 'goes on by hand' : `goes on after ${minutes(soakMinutes)} and ${needed} runs`
  if (index !== release.ring || release.state !== 'rolling' || soakMinutes === 0) {
    return index < release.ring && release.state !== 'unsigned' ? 'passed' : usual
  }
  const left = Math.ceil((Date.parse(release.ringSince) + soakMinutes * 60_000 - now) / 60_000)
  const runs = Math.floor(release.evidence?.runs ?? 0)
  const time = left > 0 ? `${minutes(left)} left` : 'time is up'
  const evidence = runs >= needed ? 'enough runs seen' : `${runs} of ${needed} runs seen`
  return `${time}, ${evidence}`
}

/** Halts above 2 % failed runs on at least 3 devices; now 0.4 % on 4. */
export function limitSentences(evidence: Evidence, settings: RolloutSettings): string[] {
  const on = `on at least ${count(evidence.devicesNeeded, 'device')}`
  return [
    `Halts above ${percent(settings.failureLimit)} failed runs ${on}; now ${percent(evidence.failureRate)} on ${figure(evidence.failingDevices)}.`,
    `Halts above ${percent(evidence.denialLimit)} denied runs ${on}; now ${percent(evidence.denialRate)} on ${figure(evidence.denyingDevices)}.`,
    `Halts at once when the first 5 runs fail on ${count(evidence.devicesNeededAtOnce, 'device')}.`,
    ...(evidence.devicesNeeded > 1
      ? [
          `Fewer than ${count(evidence.devicesNeeded, 'device')} show 0 %, however bad they are: none counts for more than the last of so many.`,
        ]
      : []),
    ...(evidence.denialLimit > settings.denialLimit
      ? [
          `The limit for denials is ${percent(settings.denialLimit)}, or twice what was usual under the release before, and always below 100 %.`,
        ]
      : []),
  ]
}

/** What the settings mean, in one paragraph. */
export function meaning({
  rings,
  soakMinutes,
  failureLimit,
  denialLimit,
  releaseDays,
}: RolloutSettings): string {
  const steps = rings.map(({ name, share }, index) => {
    const upTo = index === rings.length - 1 ? 'everybody' : `the first ${percent(share)}`
    return `${line(name)} (${upTo})`
  })
  const way =
    rings.length === 1
      ? 'A release reaches everybody at once'
      : `A release goes to ${steps.slice(0, -1).join(', then ')}, then ${steps.at(-1)}`
  const pace =
    rings.length === 1
      ? ''
      : soakMinutes === 0
        ? '; each step is taken by hand'
        : `; each step after ${minutes(soakMinutes)} and 20 runs`
  return `${way}${pace}. It halts by itself above ${percent(failureLimit)} failed or ${percent(denialLimit)} denied runs, and can be taken for ${count(releaseDays, 'day')}.`
}

/** What is wrong with settings, by field, before the server says so. */
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

/** What a roll back changes: the hooks of one release against those of another. */
export function changesBetween(from: Release, to: Release): { name: string; words: string }[] {
  const held = (release: Release) =>
    new Map(release.hooks.filter(({ change }) => change !== 'removed').map(hook => [hook.hookId, hook]))
  const [now, then] = [held(from), held(to)]
  const changes: { name: string; words: string }[] = []
  for (const [id, hook] of then) {
    const other = now.get(id)
    if (!other) changes.push({ name: hook.name, words: `comes back with revision ${hook.revision}` })
    else if (other.revision !== hook.revision)
      changes.push({ name: hook.name, words: `revision ${other.revision} → ${hook.revision}` })
  }
  for (const [id, hook] of now) if (!then.has(id)) changes.push({ name: hook.name, words: 'is taken out' })
  return changes
}

/** The server halts on evidence, without anybody. */
export const haltedWords = (by: string): string =>
  by === '' ? 'Halted' : by === 'server' ? 'Halted by itself' : `Halted by ${line(by)}`

/** A reason as it stands alone. */
export const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!…]$/.test(text) ? '' : '.'}`

// What is live: the state of each hook and of each release, as every page shows it. Pure, from the counts of devices.

import { isFor, OPERATING_SYSTEMS, type OperatingSystem } from '@holdfast/team'
import type { HeldRevision, LiveCount } from '../store/live.js'

export interface LiveRevision {
  readonly revision: number
  active: number
  pending: number
  failed: number
  silent: number
}

export interface LiveState {
  readonly state: 'draft' | 'released' | 'partial' | 'active' | 'removing' | 'removed' | 'killed'
  readonly release: number
  readonly released: number
  readonly rings: { readonly ring: string; readonly devices: number; readonly revisions: LiveRevision[] }[]
}

export interface LiveInput {
  readonly counts: readonly LiveCount[]
  /** Of any hooks, at least in the releases that the counts name and in the newest one. */
  readonly held: readonly HeldRevision[]
  readonly rings: readonly { readonly name: string }[]
  readonly isKilled: boolean
  /** The newest release that is not halted. */
  readonly newest: number
}

type Systems = readonly OperatingSystem[]

export function liveState(
  hook: { readonly id: number; readonly revision: number },
  { counts, held, rings, isKilled, newest }: LiveInput,
): LiveState {
  const revisions = new Map<number, { revision: number; systems: Systems }>()
  for (const { hook_id, release, revision, content } of held) {
    if (hook_id !== hook.id) continue
    const { operating_systems: systems } = JSON.parse(content) as { operating_systems: Systems }
    revisions.set(release, { revision, systems })
  }
  const on = (release: number, system: string): number => {
    const found = revisions.get(release)
    return found && isFor({ operating_systems: found.systems }, system as OperatingSystem)
      ? found.revision
      : 0
  }
  const released = revisions.get(newest)?.revision ?? 0
  const live = rings.map(({ name }) => ({ ring: name, devices: 0, revisions: [] as LiveRevision[] }))
  for (const { ring, has, wanted, system, condition, devices } of counts) {
    const [now, then] = [on(has, system), on(wanted, system)]
    if (now === 0 && then === 0 && on(newest, system) === 0) continue
    const here = live[ring]!
    here.devices += devices
    const row = (revision: number): LiveRevision => {
      const found = here.revisions.find(each => each.revision === revision)
      if (found) return found
      const made = { revision, active: 0, pending: 0, failed: 0, silent: 0 }
      here.revisions.push(made)
      return made
    }
    row(now)[condition === 'silent' ? 'silent' : 'active'] += devices
    if (condition !== 'silent' && now !== then)
      row(then)[condition === 'failed' ? 'failed' : 'pending'] += devices
  }
  for (const { revisions } of live) revisions.sort((a, b) => b.revision - a.revision)
  return { state: stateOf(), release: newest, released, rings: live }

  function stateOf(): LiveState['state'] {
    if (hook.revision === 0) return 'draft'
    const all = live.flatMap(({ revisions }) => revisions)
    const sum = (of: (row: LiveRevision) => number) => all.reduce((total, row) => total + of(row), 0)
    if (released === 0) {
      return sum(row => (row.revision === 0 ? 0 : row.active + row.silent)) > 0 ? 'removing' : 'removed'
    }
    if (isKilled) return 'killed'
    const active = sum(row => (row.revision === released ? row.active : 0))
    if (active === 0) return 'released'
    return active === sum(row => row.active) ? 'active' : 'partial'
  }
}

export interface DeviceProgress {
  readonly active: number
  readonly pending: number
  readonly failed: number
  readonly silent: number
}

/** Of a release, in one ring or in all. */
export function progressOf(release: number, counts: readonly LiveCount[]): DeviceProgress {
  const progress = { active: 0, pending: 0, failed: 0, silent: 0 }
  for (const { has, wanted, condition, devices } of counts) {
    if (has !== release && wanted !== release) continue
    const kind =
      condition === 'silent'
        ? 'silent'
        : has === release
          ? 'active'
          : condition === 'failed'
            ? 'failed'
            : 'pending'
    progress[kind] += devices
  }
  return progress
}

/** The releases that contain a hook, by operating system. */
export function bringing(
  held: readonly Pick<HeldRevision, 'release' | 'revision' | 'content'>[],
  revision: number,
): { readonly system: OperatingSystem; readonly releases: readonly number[] }[] {
  const newestFirst = held
    .toSorted((a, b) => b.release - a.release)
    .map(row => ({
      ...row,
      ...(JSON.parse(row.content) as { operating_systems: Systems }),
    }))
  const [newest] = newestFirst
  return OPERATING_SYSTEMS.filter(system => newest && isFor(newest, system)).map(system => ({
    system,
    releases: newestFirst
      .filter(row => isFor(row, system) && (revision === 0 || row.revision === revision))
      .map(({ release }) => release),
  }))
}

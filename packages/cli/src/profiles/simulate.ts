// Fires one event under each of several versions through the real engine. One version after the other, because a hook
// that writes files must not run beside itself.

import { existsSync } from 'node:fs'
import {
  discover,
  type FireOptions,
  fileTrustStore,
  type Hooks,
  type HostOptions,
  memoryTrustStore,
  openHooks,
  type TrustStore,
} from '@holdfast/hooks'
import {
  type Catalog,
  type EventName,
  type EventSpec,
  eventsUnder,
  findProfile,
  type HookDefinition,
  type Plan,
  type Profile,
  type ProfileName,
  type Verdict,
} from '@holdfast/hooks/protocol'
import { discoverOptions } from '../catalog.js'
import { issuesOf } from '../check/lint.js'
import type { Workspace } from '../workspace.js'
import { TODAY } from './names.js'

export interface Simulated {
  readonly profile: Profile
  /** The row of the event in this version; undefined if it has none. */
  readonly spec: EventSpec | undefined
  readonly plan: Plan
  readonly verdict: Verdict
  readonly catalog: Catalog
}

export interface Firing {
  readonly event: EventName
  readonly fields: Record<string, unknown>
  readonly workspace: Workspace
  /** Further fields of the host: user, model and so on. */
  readonly host: Partial<HostOptions>
  readonly signal: AbortSignal
  /** Throws if a hook would run that may not. */
  readonly mayRun?: MayRun
}

/** Receives the plan before anything is started, and each hook again just before it starts. */
export interface MayRun {
  plan(plan: Plan): void
  hooks(hooks: readonly HookDefinition[]): void
}

export async function simulate(
  firing: Firing,
  profiles: readonly ProfileName[],
  onStart: (profile: ProfileName) => void,
): Promise<Simulated[]> {
  const { workspace } = firing
  const today = await discover(discoverOptions({ ...workspace, profile: TODAY }))
  const all: Simulated[] = []
  for (const name of profiles) {
    onStart(name)
    all.push(await fireAs(findProfile(name)!, firing, today))
  }
  return all
}

async function fireAs(profile: Profile, firing: Firing, today: Catalog): Promise<Simulated> {
  const { event, fields, workspace, host, signal, mayRun } = firing
  const hooks = await openHooks({
    ...workspace.host,
    ...host,
    profile: profile.name as ProfileName,
    trust: withOwn(fileTrustStore(workspace.trustFile)),
    log: { file: null },
    rehearsal: true,
  })
  try {
    await trustWhatIsTrusted(hooks, today)
    return await fireExplained(hooks, profile, event, fields, { signal }, mayRun)
  } finally {
    hooks.close()
  }
}

/** The verdict with its runs. The plan is made first, because a loop is counted afterwards. */
export async function fireExplained(
  hooks: Hooks,
  profile: Profile,
  event: EventName,
  fields: Readonly<Record<string, unknown>>,
  options: FireOptions,
  mayRun?: MayRun,
): Promise<Simulated> {
  const plan = await hooks.explain(event, fields as never, options)
  mayRun?.plan(plan)
  const choose: FireOptions['choose'] =
    mayRun &&
    (all => {
      mayRun.hooks(all)
      return options.choose?.(all) ?? all
    })
  const verdict = await hooks.fire(event, fields as never, { ...options, ...(choose ? { choose } : {}) })
  return {
    profile,
    spec: eventsUnder(profile).get(event),
    plan,
    verdict,
    catalog: { ...hooks.catalog(), issues: issuesOf(hooks) },
  }
}

/** Additions during a simulation are never saved. */
function withOwn(saved: TrustStore): TrustStore {
  const own = memoryTrustStore()
  return {
    has: async (root, fingerprint) =>
      (await saved.has(root, fingerprint)) || (await own.has(root, fingerprint)),
    add: (root, fingerprints) => own.add(root, fingerprints),
    remove: (root, fingerprints) => own.remove(root, fingerprints),
  }
}

/**
 * Trust applies to the scripts that are found, and a version that searches other folders finds others, or none. An
 * entry that is trusted today runs there, too, if it can only start the same scripts.
 */
async function trustWhatIsTrusted(hooks: Hooks, today: Catalog): Promise<void> {
  const trusted = new Map(
    hooksOf(today)
      .filter(hook => hook.trusted)
      .map(hook => [hook.id, new Set(hook.scripts.map(({ path }) => path))]),
  )
  const same = hooksOf(hooks.catalog()).filter(({ trusted: isTrusted, id, scripts }) => {
    const known = trusted.get(id)
    return !isTrusted && known && scripts.every(({ path }) => known.has(path) || !existsSync(path))
  })
  if (same.length > 0) await hooks.trust(same)
}

const hooksOf = ({ layers }: Catalog) => layers.flatMap(layer => layer.hooks)

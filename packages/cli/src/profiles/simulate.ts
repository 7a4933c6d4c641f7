// One event, fired under each of several versions through the real engine, one after the other: a hook that writes
// files must not meet itself.

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
  /** The row of the event as this version has it; undefined when it does not. */
  readonly spec: EventSpec | undefined
  readonly plan: Plan
  readonly verdict: Verdict
  readonly catalog: Catalog
}

export interface Firing {
  readonly event: EventName
  readonly fields: Record<string, unknown>
  readonly workspace: Workspace
  /** What the host says besides: who, which model. */
  readonly host: Partial<HostOptions>
  readonly signal: AbortSignal
  /** Throws when something would run that may not. */
  readonly mayRun?: MayRun
}

/** Is shown the plan before anything is started, and the hooks once more as they are about to be. */
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

/** The verdict with what led to it. The plan first: afterwards a loop has been counted. */
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

/** What is added while simulating is never saved. */
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
 * Trust belongs to the scripts that are found, and a version that looks elsewhere finds others, or none. An entry that
 * is trusted today runs there, too, as long as it can start nothing but the same scripts.
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

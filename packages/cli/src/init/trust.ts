// The user agreed to exactly these hooks by writing them, so they are trusted: the added ones, and no others.

import { openHooks } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { remember, type StoredJob } from '../edit/journal.js'
import type { Workspace } from '../workspace.js'
import type { InitPlan } from './plan.js'

/** Returns how many hooks are trusted now that were not before. */
export async function trustAdded(plan: InitPlan, stored: StoredJob, workspace: Workspace): Promise<number> {
  if (plan.level.name !== 'project') return 0
  const hooks = await openHooks({ ...workspace.host, trustAll: false })
  try {
    const all = hooks.catalog().layers.flatMap(layer => layer.hooks)
    const open = all.filter(hook => !hook.trusted && isAdded(hook, plan))
    if (open.length === 0) return 0
    const trusted = await hooks.trust(open)
    const fingerprints = trusted.map(({ fingerprint }) => fingerprint)
    remember(stored, { ...stored.entry, trusted: { root: plan.level.folder, fingerprints } })
    return trusted.length
  } finally {
    hooks.close()
  }
}

const isAdded = (hook: HookDefinition, { level, hooks }: InitPlan): boolean =>
  hook.file === level.hooksFile &&
  hooks.added.some(
    ({ event, entry }) =>
      event === hook.event && entry.command === hook.command && entry.prompt === hook.prompt,
  )

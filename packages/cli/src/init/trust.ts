// The user agreed to exactly these hooks by writing them, so they are trusted: the added ones, and those that were trusted
// before, whose content includes the files beside their scripts.

import { openHooks } from '@holdfast/hooks'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { remember, type StoredJob } from '../edit/journal.js'
import type { Workspace } from '../workspace.js'
import type { InitPlan } from './plan.js'

/** Identifies a hook while files are added beside its script. */
type Identity = string

const identityOf = ({ event, command, prompt, matcher }: HookDefinition): Identity =>
  JSON.stringify([event, command, prompt, matcher])

/** The hooks of the file that are trusted now. */
export async function trustedHooks(
  { level }: InitPlan,
  workspace: Workspace,
): Promise<ReadonlySet<Identity>> {
  if (level.name !== 'project') return new Set()
  const hooks = await openHooks({ ...workspace.host, trustAll: false })
  try {
    return new Set(
      hooksOf(hooks, level)
        .filter(({ trusted }) => trusted)
        .map(identityOf),
    )
  } finally {
    hooks.close()
  }
}

/** Returns how many of the added hooks are trusted now that were not before. */
export async function trustAdded(
  plan: InitPlan,
  before: ReadonlySet<Identity>,
  stored: StoredJob,
  workspace: Workspace,
): Promise<number> {
  if (plan.level.name !== 'project') return 0
  const hooks = await openHooks({ ...workspace.host, trustAll: false })
  try {
    const open = hooksOf(hooks, plan.level).filter(
      hook => !hook.trusted && (isAdded(hook, plan) || before.has(identityOf(hook))),
    )
    if (open.length === 0) return 0
    const trusted = await hooks.trust(open)
    const fingerprints = trusted.map(({ fingerprint }) => fingerprint)
    remember(stored, { ...stored.entry, trusted: { root: plan.level.folder, fingerprints } })
    return trusted.filter(hook => isAdded(hook, plan)).length
  } finally {
    hooks.close()
  }
}

const hooksOf = (hooks: Awaited<ReturnType<typeof openHooks>>, { hooksFile }: InitPlan['level']) =>
  hooks
    .catalog()
    .layers.flatMap(layer => layer.hooks)
    .filter(({ file }) => file === hooksFile)

const isAdded = ({ event, command, prompt }: HookDefinition, { hooks }: InitPlan): boolean =>
  hooks.added.some(
    added => added.event === event && added.entry.command === command && added.entry.prompt === prompt,
  )

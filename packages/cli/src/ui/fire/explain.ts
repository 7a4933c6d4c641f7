// The hooks that would run, and the problems of the payload. Nothing is started.

import { openHooks } from '@holdfast/hooks'
import type { HookDefinition, Plan, ProfileName } from '@holdfast/hooks/protocol'
import { shortHook, skipWords, whyWords } from '../../print/words.js'
import { versionName } from '../../profiles/names.js'
import { fingerprintOf } from '../hooks/seen.js'
import { hooksOf, type Panel } from '../panel.js'
import type { SkippedShape } from '../path/shape.js'
import { shellCommand } from './command.js'
import { readPayload } from './payload.js'
import { profilesNamed } from './profiles.js'

export async function explain(
  panel: Panel,
  { event, payloadJson, profiles }: { event: string; payloadJson: string; profiles: readonly string[] },
) {
  const { spec, fields, problems, isFit } = readPayload(event, payloadJson)
  const named = profilesNamed(profiles)
  if (!isFit) return { runs: [], skipped: [], problems: [...problems], command: '' }
  const own = new Map(hooksOf(await panel.engine.reload()).map(hook => [hook.id, hook]))
  const plans: Plan[] = []
  for (const profile of named.length > 0 ? named : [panel.workspace.profile]) {
    plans.push(await planIn(panel, profile, spec.name, fields))
  }
  return {
    ...together(plans, own),
    problems: [...problems],
    command: shellCommand({ spec, fields, profiles: named }, panel.workspace),
  }
}

async function planIn(
  { engine, workspace }: Panel,
  profile: ProfileName,
  event: Plan['event']['spec']['name'],
  fields: Record<string, unknown>,
): Promise<Plan> {
  if (profile === workspace.profile) return engine.explain(event, fields as never)
  const other = await openHooks({ ...workspace.host, profile, watch: false, log: { file: null } })
  try {
    return await other.explain(event, fields as never)
  } finally {
    other.close()
  }
}

/** A hook runs if it runs in one of the versions; it is skipped if it runs in none. */
function together(plans: readonly Plan[], own: ReadonlyMap<string, HookDefinition>) {
  const runs = new Map<string, ReturnType<typeof toPlanned>>()
  const skipped = new Map<string, SkippedShape>()
  for (const plan of plans) {
    const only = plans.length > 1 ? `${versionName(plan.event.profile.name)}: ` : ''
    for (const one of plan.hooks) {
      const why = `${only}${whyWords(one, plan.event.spec, plan.event.profile)}`
      if (!runs.has(one.hook.id)) runs.set(one.hook.id, toPlanned(own.get(one.hook.id) ?? one.hook, why))
    }
    for (const one of plan.skipped) {
      if (!skipped.has(one.hook.id)) skipped.set(one.hook.id, toSkipped(one, plan, only))
    }
  }
  return {
    runs: [...runs.values()],
    skipped: [...skipped].filter(([id]) => !runs.has(id)).map(([, one]) => one),
  }
}

const toPlanned = (hook: HookDefinition, why: string) => ({
  hookId: hook.id,
  fingerprint: fingerprintOf(hook),
  source: hook.source,
  hook: shortHook(hook),
  file: hook.file ?? '',
  line: hook.line ?? 0,
  why,
})

export const toSkipped = (
  { hook, reason }: Plan['skipped'][number],
  { event: { spec, profile } }: Plan,
  before = '',
): SkippedShape => ({
  source: hook.source,
  hook: shortHook(hook),
  file: hook.file ?? '',
  line: hook.line ?? 0,
  reason,
  why: `${before}${skipWords(reason, hook.matcher, spec, profile)}`,
})

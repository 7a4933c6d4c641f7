// A team's hook in its stored, signed form and in its API form. Both leave out the same fields.

import { create } from '@bufbuild/protobuf'
import { type SignedHook, type TeamHook, TeamHookSchema } from '@holdfast/team'
import type { HookRow } from '../store/schema.js'

/** The fields that an author sets; publishing adds the others. */
export type Content = Omit<SignedHook, 'id' | 'revision' | 'name' | 'sha256' | 'size'> & {
  readonly is_active: boolean
}

export interface Draft {
  readonly content: Content
  /** Of a command. */
  readonly script: string | null
}

/** As it is stored beside a hook, if there is one. */
export const draftIn = ({ draft, draft_script }: Pick<HookRow, 'draft' | 'draft_script'>): Draft | null =>
  draft === null ? null : { content: JSON.parse(draft) as Content, script: draft_script }

/** In one fixed order, so that equal hooks have equal texts. */
export function contentOf(hook: TeamHook): Content {
  const type = hook.type === '' ? 'command' : (hook.type as Content['type'])
  const common = {
    hook_step: hook.hookStep,
    type,
    mode: (hook.mode === '' ? 'enforce' : hook.mode) as Content['mode'],
    operating_systems: [...new Set(hook.operatingSystems)].sort() as unknown as Content['operating_systems'],
    is_active: hook.isActive,
    ...(hook.matcher === '' ? {} : { matcher: hook.matcher }),
    ...(hook.timeout === undefined ? {} : { timeout: hook.timeout }),
    ...(hook.failClosed === undefined ? {} : { fail_closed: hook.failClosed }),
    ...(hook.loopLimit === undefined ? {} : { loop_limit: hook.loopLimit === 0 ? null : hook.loopLimit }),
  }
  if (type === 'command') return { ...common, script_name: hook.scriptName }
  return { ...common, prompt: hook.prompt, ...(hook.model === '' ? {} : { model: hook.model }) }
}

export const draftOf = (hook: TeamHook): Draft => {
  const content = contentOf(hook)
  return { content, script: content.type === 'command' ? hook.scriptContent : null }
}

export function messageOf(
  content: Content | SignedHook,
  {
    script,
    ...more
  }: { id?: bigint; revision?: number; script?: string | null; ring?: string; signature?: Uint8Array },
): TeamHook {
  const { loop_limit: loopLimit, timeout, fail_closed: failClosed } = content
  return create(TeamHookSchema, {
    hookStep: content.hook_step,
    scriptName: content.script_name ?? '',
    operatingSystems: [...content.operating_systems],
    isActive: 'is_active' in content ? content.is_active : true,
    scriptContent: script ?? '',
    matcher: content.matcher ?? '',
    type: content.type,
    prompt: content.prompt ?? '',
    model: content.model ?? '',
    mode: content.mode,
    ...(timeout === undefined ? {} : { timeout }),
    ...(failClosed === undefined ? {} : { failClosed }),
    ...(loopLimit === undefined ? {} : { loopLimit: loopLimit ?? 0 }),
    ...more,
  })
}

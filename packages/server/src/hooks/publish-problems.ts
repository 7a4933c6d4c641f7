// The problems of a draft, alone and together with the published hooks: all that publishing would report.

import { type SignedHook, scriptNamesProblem, sha256 } from '@holdfast/team'
import { RequestError } from '../request-error.js'
import { makeRelease } from '../rollout/make.js'
import { newestHooks } from '../rollout/releases.js'
import { otherDrafts } from '../store/hooks.js'
import type { Team } from '../team.js'
import { type Draft, draftIn } from './content.js'
import { type DraftProblem, problemsOf } from './problems.js'

export interface CheckedDraft {
  /** 0: not saved yet. */
  readonly id: number
  readonly name: string
  readonly draft: Draft
}

export async function problemsToPublish(team: Team, hook: CheckedDraft): Promise<DraftProblem[]> {
  const alone = await problemsOf(hook.draft)
  if (alone.some(({ severity }) => severity === 'error')) return alone
  const together = await problemTogether(team, hook)
  return together ? [...alone, together] : alone
}

async function problemTogether(team: Team, hook: CheckedDraft): Promise<DraftProblem | null> {
  const out = new Map((await newestHooks(team.store.db)).map(each => [each.id, each]))
  const hooks = withDrafts(out, [hook])
  const message = await refusalOf(team, hooks)
  if (message === null) return null
  // Two hooks that exchange a name can only be published together; each alone conflicts with the other.
  const others = (await otherDrafts(team.store.db, hook.id))
    .filter(({ id }) => out.has(id))
    .map(row => ({ id: row.id, name: row.name, draft: draftIn(row)! }))
  const isSolved = others.length > 0 && (await refusalOf(team, withDrafts(out, [hook, ...others]))) === null
  const isName = scriptNamesProblem(hooks) === message
  return {
    severity: isSolved ? 'warning' : 'error',
    code: isName ? 'team/script-name-taken' : 'team/release',
    field: isName ? 'script_name' : '',
    message,
    hint: isSolved
      ? 'Together with the other drafts it is valid: publish them together.'
      : isName
        ? `"${namesake(hooks, hook)?.name ?? ''}" has it already.`
        : 'Remove other hooks first, or make this one smaller.',
  }
}

/** The messages are those of publishing. */
async function refusalOf(team: Team, hooks: readonly SignedHook[]): Promise<string | null> {
  try {
    await makeRelease(team.store.db, team, hooks)
    return null
  } catch (error) {
    if (error instanceof RequestError) return error.message
    throw error
  }
}

/** An unsaved hook comes last, with a number that no other has. */
function withDrafts(
  out: ReadonlyMap<number, SignedHook>,
  drafts: readonly CheckedDraft[],
): readonly SignedHook[] {
  const hooks = new Map(out)
  for (const { id, name, draft } of drafts) {
    const { is_active: isActive, ...content } = draft.content
    const key = id || NEW
    if (!isActive) hooks.delete(key)
    else
      hooks.set(key, {
        id: key,
        revision: (out.get(id)?.revision ?? 0) + 1,
        name,
        ...content,
        ...bytesOf(draft),
      })
  }
  return [...hooks.values()]
}

const NEW = 2 ** 31 - 1

function bytesOf({ script }: Draft): { sha256?: string; size?: number } {
  if (script === null) return {}
  const bytes = Buffer.from(script)
  return { sha256: sha256(bytes), size: bytes.length }
}

const namesake = (hooks: readonly SignedHook[], { id, draft }: CheckedDraft): SignedHook | undefined =>
  hooks.find(
    other =>
      other.id !== (id || NEW) &&
      other.script_name?.toLowerCase() === draft.content.script_name?.toLowerCase(),
  )

// What is wrong with a draft, alone and together with what is out: all that publishing would say.

import { type SignedHook, scriptNamesProblem, sha256 } from '@holdfast/team'
import { type Draft, draftIn } from '../hooks/content.js'
import { type DraftProblem, problemsOf } from '../hooks/problems.js'
import { Refusal } from '../refusal.js'
import type { Team } from '../team.js'
import { makeRelease } from './make.js'
import { newestHooks } from './releases.js'

export interface Checked {
  /** 0: it is not saved yet. */
  readonly id: number
  readonly name: string
  readonly draft: Draft
}

export async function problemsToPublish(team: Team, hook: Checked): Promise<DraftProblem[]> {
  const alone = await problemsOf(hook.draft)
  if (alone.some(({ severity }) => severity === 'error')) return alone
  const together = await problemTogether(team, hook)
  return together ? [...alone, together] : alone
}

async function problemTogether(team: Team, hook: Checked): Promise<DraftProblem | null> {
  const out = new Map((await newestHooks(team.store.db)).map(each => [each.id, each]))
  const hooks = withDrafts(out, [hook])
  const message = await refusalOf(team, hooks)
  if (message === null) return null
  // Two that change places can only go out at once; each alone is in the way of the other.
  const others = (await otherDrafts(team, hook.id)).filter(({ id }) => out.has(id))
  const isSolved = others.length > 0 && (await refusalOf(team, withDrafts(out, [hook, ...others]))) === null
  const isName = scriptNamesProblem(hooks) === message
  return {
    severity: isSolved ? 'warning' : 'error',
    code: isName ? 'team/script-name-taken' : 'team/release',
    field: isName ? 'script_name' : '',
    message,
    hint: isSolved
      ? 'With the other drafts that wait it fits: publish them together.'
      : isName
        ? `"${namesake(hooks, hook)?.name ?? ''}" has it already.`
        : 'Take other hooks out first, or make this one smaller.',
  }
}

/** As publishing would refuse them. */
async function refusalOf(team: Team, hooks: readonly SignedHook[]): Promise<string | null> {
  try {
    await makeRelease(team.store.db, team, hooks)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/** A hook that is not saved yet comes last, with the number that no other has. */
function withDrafts(out: ReadonlyMap<number, SignedHook>, drafts: readonly Checked[]): readonly SignedHook[] {
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

async function otherDrafts({ store }: Team, id: number): Promise<Checked[]> {
  const rows = await store.db
    .selectFrom('hooks')
    .select(['id', 'name', 'draft', 'draft_script'])
    .where('draft', 'is not', null)
    .where('id', '<>', id)
    .execute()
  return rows.map(row => ({ id: row.id, name: row.name, draft: draftIn(row)! }))
}

const namesake = (hooks: readonly SignedHook[], { id, draft }: Checked): SignedHook | undefined =>
  hooks.find(
    other =>
      other.id !== (id || NEW) &&
      other.script_name?.toLowerCase() === draft.content.script_name?.toLowerCase(),
  )

// Hooks and their drafts. The number of a draft increases with every change. A save names the number that it is based
// on, so that it does not overwrite a newer draft.

import { createHash } from 'node:crypto'
import { LIMITS } from '@holdfast/team'
import type { Person } from '../access/actor.js'
import { append } from '../audit/chain.js'
import { after, paged, sizeOf } from '../page.js'
import { RequestError } from '../request-error.js'
import {
  findHook,
  hookNamed,
  insertHook,
  NO_DRAFT,
  pageOfHooks,
  type StoredHook,
  saveFit,
  updateHook,
} from '../store/hooks.js'
import type { Db, Tx } from '../store/open.js'
import { oneAtATime } from '../store/team.js'
import type { Team } from '../team.js'
import { type Draft, draftIn } from './content.js'
import { type DraftProblem, formProblems, problemsOf } from './problems.js'
import { problemsToPublish } from './publish-problems.js'

const NAME = /^[^\s\p{C}](?:[^\p{C}]{0,98}[^\s\p{C}])?$/u

const NAMING = 'A hook needs a name of 1 to 100 characters, without control characters.'

export interface Saving {
  readonly id: number
  readonly name: string
  readonly draft: Draft
  readonly base: number
}

/** The problems that a save would report. */
export async function problemsBefore(team: Team, saving: Saving): Promise<DraftProblem[]> {
  const { id, name } = saving
  const isNamed = NAME.test(name)
  const problem = isNamed ? await namesake(team.store.db, name, id) : NAMING
  const problems = await (isNamed ? problemsToPublish(team, saving) : problemsOf(saving.draft))
  if (!problem) return problems
  return [
    { severity: 'error', code: 'team/name', field: 'name', message: problem, hint: 'Give it another name.' },
    ...problems,
  ]
}

export async function saveDraft(
  team: Team,
  actor: Person,
  { id, name, draft, base }: Saving,
): Promise<{ hook: StoredHook; problems: DraftProblem[] }> {
  if (!NAME.test(name)) throw new RequestError('invalid', NAMING)
  mustBeStorable(draft)
  const problems = await problemsToPublish(team, { id, name, draft })
  const now = team.now()
  const fields = {
    name,
    draft: JSON.stringify(draft.content),
    draft_script: draft.script,
    draft_by: actor.userId,
    draft_at: now,
    fit: null,
  }
  const hook = await team.store.write(async tx => {
    await oneAtATime(tx)
    const problem = await namesake(tx, name, id)
    if (problem) throw new RequestError('exists', problem)
    const old = id === 0 ? await insertHook(tx, name, now) : await hookOf(tx, id)
    if (id !== 0 && old.draft_version !== base) {
      throw new RequestError(
        'stale',
        `The draft was changed by somebody else (version ${old.draft_version}, you saw ${base}). Load it, then save again.`,
      )
    }
    // A save that replaces a draft may keep most of it.
    const authors = old.draft === null ? [] : authorsOf(old)
    const saved = await updateHook(tx, old.id, {
      ...fields,
      draft_authors: JSON.stringify([...new Set([...authors, actor.userId])]),
      draft_version: old.draft_version + 1,
    })
    await append(tx, actor, now, {
      action: id === 0 ? 'hook.create' : 'hook.draft',
      subject: `hook ${saved.id}`,
      detail: { name, version: saved.draft_version, sha256: hashOfDraft(draft) },
    })
    return saved
  })
  team.hub.changed('hooks')
  return { hook, problems }
}

/** A draft may be incomplete. Its values must have the form and the size that a release allows. */
function mustBeStorable({ content, script }: Draft): void {
  const wrong = formProblems(content).find(
    ({ field }) => field !== 'script_name' || content.script_name !== '',
  )
  if (wrong) throw new RequestError('invalid', `${wrong.message} ${wrong.hint}`)
  const lengths = {
    script_content: [Buffer.byteLength(script ?? ''), LIMITS.script],
    prompt: [content.prompt?.length, LIMITS.prompt],
    matcher: [content.matcher?.length, LIMITS.matcher],
    model: [content.model?.length, LIMITS.name],
    hook_step: [content.hook_step.length, LIMITS.name],
  } as const
  for (const [field, [length = 0, most]] of Object.entries(lengths)) {
    if (length > most)
      throw new RequestError('too-much', `${field} has the length ${length}; at most ${most}.`)
  }
}

/** Everyone who saved it since its creation; null if that is not known. */
export function authorsOf({ draft_by, draft_authors }: StoredHook): ReadonlySet<string | null> {
  const authors = JSON.parse(draft_authors) as string[]
  return new Set(authors.length === 0 ? [draft_by] : authors)
}

async function namesake(db: Db | Tx, name: string, id: number): Promise<string | null> {
  const other = await hookNamed(db, name)
  return other && other.id !== id ? `Another hook is called "${name}".` : null
}

export async function discardDraft(team: Team, actor: Person, id: number): Promise<StoredHook> {
  const hook = await team.store.write(async tx => {
    await oneAtATime(tx)
    const old = await hookOf(tx, id)
    if (old.draft === null) throw new RequestError('not-now', 'The hook has no draft.')
    const saved = await updateHook(tx, id, { ...NO_DRAFT, draft_version: old.draft_version + 1 })
    await append(tx, actor, team.now(), {
      action: 'hook.discard',
      subject: `hook ${id}`,
      detail: { name: old.name },
    })
    return saved
  })
  team.hub.changed('hooks')
  return hook
}

export async function hookOf(db: Db | Tx, id: number): Promise<StoredHook> {
  const hook = await findHook(db, id)
  if (!hook) throw new RequestError('missing', `There is no hook ${id}.`)
  return hook
}

export async function listHooks(
  team: Team,
  request: { pageSize: number; pageToken: string; query: string },
): Promise<{ hooks: readonly StoredHook[]; nextPageToken: string; total: number }> {
  const size = sizeOf(request)
  const last = after(request, [''] as const)
  const text = request.query.slice(0, 200)
  const { rows, total } = await pageOfHooks(team.store.db, text, last?.[0] ?? null, size + 1)
  const page = paged(rows, size, ({ name }) => [name])
  return { hooks: page.rows, nextPageToken: page.nextPageToken, total }
}

/** Exactly the checked version is published. */
export const hashOfDraft = ({ content, script }: Draft): string =>
  createHash('sha256')
    .update(JSON.stringify([content, script]))
    .digest('hex')

/** Stores that exactly this version of the draft may be published. */
export async function markFit(
  { store }: Pick<Team, 'store'>,
  hook: StoredHook,
  db: Db | Tx = store.db,
): Promise<void> {
  const draft = draftIn(hook)
  if (draft) await saveFit(db, hook, hashOfDraft(draft))
}

// The check before publishing: the problems that the engine finds in a draft, and its responses to samples.

import { type EventName, findEvent, samplePayload } from '@holdfast/hooks/protocol'
import type { Person } from '../access/actor.js'
import { type Change, withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { draftIn } from '../hooks/content.js'
import { authorsOf, hashOfDraft, hookOf, markFit } from '../hooks/drafts.js'
import type { DraftProblem } from '../hooks/problems.js'
import { problemsToPublish } from '../hooks/publish-problems.js'
import { toNote } from '../note.js'
import { RequestError } from '../request-error.js'
import type { StoredHook } from '../store/hooks.js'
import type { Team } from '../team.js'
import { type DraftReply, openPlayer } from './player.js'
import type { FoundSandbox, Sandbox } from './sandbox.js'

export interface Sample {
  readonly name: string
  readonly payloadJson: string
}

export interface DryRun {
  readonly problems: readonly DraftProblem[]
  readonly runs: readonly (DraftReply & { readonly sample: string })[]
  readonly fit: boolean
}

const MOST_SAMPLES = 20

export async function checkDraft(
  team: Team,
  { id, samples }: { id: number; samples: readonly Sample[] },
): Promise<DryRun> {
  const hook = await hookOf(team.store.db, id)
  const draft = draftIn(hook)
  if (!draft) throw new RequestError('not-now', `The hook "${hook.name}" has no draft.`)
  const problems = await problemsToPublish(team, { id, name: hook.name, draft })
  const spec = findEvent(draft.content.hook_step)
  if (problems.some(({ severity }) => severity === 'error') || !spec)
    return { problems, runs: [], fit: false }
  // A prompt is answered by a model, and the server has none.
  if (draft.content.type === 'prompt') {
    await markFit(team, hook)
    return { problems, runs: [], fit: true }
  }
  const sandbox = mustHave(await team.sandbox())
  const isOwn = samples.length > 0
  const questions = isOwn
    ? given(samples)
    : [{ name: 'sample', facts: samplePayload(spec.name as EventName) }]
  // The sample exists to run the script, so the matcher must not skip it.
  const { matcher: _matcher, ...always } = draft.content
  const player = openPlayer(isOwn ? draft : { ...draft, content: always }, sandbox)
  try {
    const runs = await Promise.all(
      questions.map(async ({ name, facts }, index) => ({
        ...(await player.ask({ id: String(index), event: spec.name, facts })),
        sample: name,
      })),
    )
    if (!runs.some(({ ran }) => ran)) return { problems: [...problems, NEVER_RAN], runs, fit: false }
    const fit = runs.every(({ failure }) => failure === '')
    if (fit) await markFit(team, hook)
    return { problems, runs, fit }
  } finally {
    await player.close()
  }
}

const NEVER_RAN: DraftProblem = {
  severity: 'error',
  code: 'team/never-ran',
  field: 'matcher',
  message: 'The script never ran: its matcher skipped every sample.',
  hint: 'Add a sample that the matcher accepts.',
}

/** Without a sandbox a draft could do everything that the server can, so it is never run. */
export function mustHave({ sandbox, reason }: FoundSandbox): Sandbox {
  if (sandbox) return sandbox
  throw new RequestError('not-now', reason)
}

/** Replaces a dry run if there is no sandbox: an admin who did not write the draft vouches for it, or two admins. */
export async function approveUnrun(
  team: Team,
  actor: Person,
  wish: { id: number; draftVersion: number; reason: string },
): Promise<StoredHook> {
  const reason = toNote('reason', wish.reason)
  if (reason === '')
    throw new RequestError('invalid', 'reason is empty. Give the reason why the draft may be published.')
  if ((await team.sandbox()).sandbox)
    throw new RequestError('not-now', 'This server can run the draft. Check it with a dry run.')
  const found = await hookOf(team.store.db, wish.id)
  const draft = draftIn(found)
  if (!draft) throw new RequestError('not-now', `The hook "${found.name}" has no draft.`)
  const problems = await problemsToPublish(team, { id: found.id, name: found.name, draft })
  const error = problems.find(({ severity }) => severity === 'error')
  if (error) throw new RequestError('not-now', `The draft has an error: ${error.message} ${error.hint}`)
  const change: Change = {
    method: 'HooksService/ApproveUnrun',
    subject: `hook ${found.id}`,
    wish: { version: wish.draftVersion },
    call: { id: wish.id, draftVersion: wish.draftVersion, reason },
    authors: authorsOf(found),
    isAlways: true,
  }
  await withSecondPerson(team, actor, change, async (tx, by) => {
    const hook = await hookOf(tx, wish.id)
    if (hook.draft_version !== wish.draftVersion)
      throw new RequestError('stale', `The draft of "${hook.name}" changed after you read it. Read it again.`)
    await markFit(team, hook, tx)
    await append(tx, actor, team.now(), {
      action: 'hook.approve-unrun',
      subject: `hook ${hook.id}`,
      detail: { name: hook.name, version: hook.draft_version, sha256: hashOfDraft(draft), reason, ...by },
    })
  })
  team.hub.changed('hooks')
  return hookOf(team.store.db, wish.id)
}

function given(samples: readonly Sample[]) {
  if (samples.length > MOST_SAMPLES)
    throw new RequestError('too-much', `At most ${MOST_SAMPLES} samples at once.`)
  return samples.map(({ name, payloadJson }) => {
    try {
      const facts: unknown = JSON.parse(payloadJson)
      if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) {
        return { name, facts: facts as Record<string, unknown> }
      }
    } catch {
      // The error below.
    }
    throw new RequestError('invalid', `The payload of the sample "${name}" is not a JSON object.`)
  })
}

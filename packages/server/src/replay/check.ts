// The check before publishing: the problems that the engine finds in a draft, and its responses to samples.

import { type EventName, findEvent, samplePayload } from '@holdfast/hooks/protocol'
import type { Person } from '../access/actor.js'
import { append, mustStillBe } from '../audit/chain.js'
import { draftIn } from '../hooks/content.js'
import { hashOfDraft, hookOf, markFit, type StoredHook } from '../hooks/drafts.js'
import type { DraftProblem } from '../hooks/problems.js'
import { toNote } from '../note.js'
import { Refusal } from '../refusal.js'
import { problemsToPublish } from '../rollout/together.js'
import { oneAtATime } from '../store/turn.js'
import type { Team } from '../team.js'
import { openPlayer, type Reply } from './player.js'
import type { FoundSandbox, Sandbox } from './sandbox.js'

export interface Sample {
  readonly name: string
  readonly payloadJson: string
}

export interface Checked {
  readonly problems: readonly DraftProblem[]
  readonly runs: readonly (Reply & { readonly sample: string })[]
  readonly fit: boolean
}

const MOST_SAMPLES = 20

export async function checkDraft(
  team: Team,
  { id, samples }: { id: number; samples: readonly Sample[] },
): Promise<Checked> {
  const hook = await hookOf(team.store.db, id)
  const draft = draftIn(hook)
  if (!draft) throw new Refusal('not-now', `The hook "${hook.name}" has no draft.`)
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
  // The sample of the event is there to run the script, so the matcher must not skip it.
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

/** Without a sandbox a draft could do whatever the server can, so it runs for no role. */
export function mustHave({ sandbox, reason }: FoundSandbox): Sandbox {
  if (sandbox) return sandbox
  throw new Refusal('not-now', reason)
}

/** Takes the place of a dry run where there is no sandbox: an admin answers for the script of someone else. */
export async function approveUnrun(
  team: Team,
  actor: Person,
  wish: { id: number; draftVersion: number; reason: string },
): Promise<StoredHook> {
  const reason = toNote('reason', wish.reason)
  if (reason === '') throw new Refusal('invalid', 'reason is empty. Say why the draft may be published.')
  if ((await team.sandbox()).sandbox)
    throw new Refusal('not-now', 'This server can run the draft. Check it with a dry run.')
  const hook = await hookOf(team.store.db, wish.id)
  const draft = draftIn(hook)
  if (!draft) throw new Refusal('not-now', `The hook "${hook.name}" has no draft.`)
  if (hook.draft_version !== wish.draftVersion)
    throw new Refusal('stale', `The draft of "${hook.name}" changed after you read it. Read it again.`)
  if (hook.draft_by === actor.userId)
    throw new Refusal('forbidden', `You wrote the draft of "${hook.name}"; another admin must approve it.`)
  const problems = await problemsToPublish(team, { id: hook.id, name: hook.name, draft })
  const error = problems.find(({ severity }) => severity === 'error')
  if (error) throw new Refusal('not-now', `The draft has an error: ${error.message} ${error.hint}`)
  await team.store.write(async tx => {
    await oneAtATime(tx)
    await mustStillBe(tx, actor)
    await markFit(team, hook, tx)
    await append(tx, actor, team.now(), {
      action: 'hook.approve-unrun',
      subject: `hook ${hook.id}`,
      detail: { name: hook.name, version: hook.draft_version, sha256: hashOfDraft(draft), reason },
    })
  })
  team.hub.changed('hooks')
  return hookOf(team.store.db, hook.id)
}

function given(samples: readonly Sample[]) {
  if (samples.length > MOST_SAMPLES) throw new Refusal('too-much', `At most ${MOST_SAMPLES} samples at once.`)
  return samples.map(({ name, payloadJson }) => {
    try {
      const facts: unknown = JSON.parse(payloadJson)
      if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) {
        return { name, facts: facts as Record<string, unknown> }
      }
    } catch {
      // The error below.
    }
    throw new Refusal('invalid', `The payload of the sample "${name}" is not a JSON object.`)
  })
}

// The check before publishing: what the engine says about a draft, and what the draft says to samples.

import { type EventName, findEvent, samplePayload } from '@holdfast/hooks/protocol'
import type { Person } from '../access/actor.js'
import { isAtLeast } from '../access/methods.js'
import { draftIn } from '../hooks/content.js'
import { hookOf, markFit } from '../hooks/drafts.js'
import type { DraftProblem } from '../hooks/problems.js'
import { Refusal } from '../refusal.js'
import { problemsToPublish } from '../rollout/together.js'
import type { Team } from '../team.js'
import { openPlayer, type Reply } from './player.js'
import type { Sandbox } from './sandbox.js'

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
  actor: Person,
  sandbox: Sandbox | null,
  { id, samples }: { id: number; samples: readonly Sample[] },
): Promise<Checked> {
  const hook = await hookOf(team.store.db, id)
  const draft = draftIn(hook)
  if (!draft) throw new Refusal('not-now', `The hook "${hook.name}" has no draft.`)
  const problems = await problemsToPublish(team, { id, name: hook.name, draft })
  const spec = findEvent(draft.content.hook_step)
  if (problems.some(({ severity }) => severity === 'error') || !spec)
    return { problems, runs: [], fit: false }
  // A prompt is answered by a model, which the server has none of.
  if (draft.content.type === 'prompt') {
    await markFit(team, hook)
    return { problems, runs: [], fit: true }
  }
  mayRun(actor, sandbox)
  const questions =
    samples.length > 0 ? given(samples) : [{ name: 'sample', facts: samplePayload(spec.name as EventName) }]
  const player = openPlayer(draft, sandbox)
  try {
    const runs = await Promise.all(
      questions.map(async ({ name, facts }, index) => ({
        ...(await player.ask({ id: String(index), event: spec.name, facts })),
        sample: name,
      })),
    )
    const fit = runs.every(({ failure }) => failure === '')
    if (fit) await markFit(team, hook)
    return { problems, runs, fit }
  } finally {
    await player.close()
  }
}

/** Without a sandbox a draft could do on the server whatever the server can. */
export function mayRun(actor: Person, sandbox: Sandbox | null): void {
  if (sandbox || isAtLeast(actor.role, 'admin')) return
  throw new Refusal(
    'forbidden',
    'This server has no sandbox to try drafts in, so only an admin may. Ask one.',
  )
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
      // said below
    }
    throw new Refusal('invalid', `The payload of the sample "${name}" is not a JSON object.`)
  })
}

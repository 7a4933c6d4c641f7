// Runs a case on its recorded exits: plan, read, decide, enforce, without a process and without a file.

import { rounds } from '../packages/hooks/src/decide/rounds.js'
import { denialFields, enforce } from '../packages/hooks/src/enforce/enforce.js'
import { plan } from '../packages/hooks/src/plan/plan.js'
import { SOURCES, type SourceKind } from '../packages/hooks/src/protocol/config.js'
import { DENIAL_EVENT, type EventName, findEvent } from '../packages/hooks/src/protocol/events.js'
import { acceptFields, inVersion } from '../packages/hooks/src/protocol/payload.js'
import { eventsUnder, findProfile, type Profile } from '../packages/hooks/src/protocol/profiles.js'
import type { Event, Plan, Ran, Run, Skipped } from '../packages/hooks/src/protocol/run.js'
import type { Verdict } from '../packages/hooks/src/protocol/verdict.js'
import { read } from '../packages/hooks/src/read/read.js'
import { environment } from '../packages/hooks/src/run/environment.js'
import * as conversation from '../packages/hooks/src/session.js'
import type { Case } from './case.js'
import { definitionsOf, PLACES, placeOfId, rootsOf } from './definitions.js'
import { type Asked, exitOf } from './exits.js'
import { payloadOf, profileOf } from './load.js'
import { type GuardObservation, type Observation, observe } from './observe.js'

interface World {
  readonly one: Case
  readonly profile: Profile
  readonly state: conversation.SessionState
  /** The question of each prompt hook, by its index in the case. */
  readonly asked: Asked
}

/** Another profile than that of the case shows whether the case detects the difference. */
export async function runRecorded(one: Case, profile = findProfile(profileOf(one))!): Promise<Observation> {
  const state = conversation.newState({ conversationId: 'conversation' }, 'conversation', 0)
  const world: World = { one, profile, state, asked: new Map() }
  for (const step of one.before ?? []) {
    await fireEvent(world, step.event, payloadOf(step.event, step.payload), step.automatic)
  }
  const result = await fireEvent(world, one.event, payloadOf(one.event, one.payload))
  const seen = observe(result.verdict, result.event, ({ hook }) => placeOfId(hook.id))
  for (const [place, hook] of seen.hooks) {
    const definition = result.verdict.runs.find(run => placeOfId(run.hook.id) === place)!.hook
    hook.payload = result.payloads.get(place)
    hook.cwd = definition.cwd
    hook.asked = world.asked.get(place)
    const host = {
      env: one.host?.variables ?? {},
      version: profile.version,
      userEmail: one.host?.email ?? null,
      remote: one.host?.remote ?? false,
    }
    hook.env = environment(host, definition, result.event.payload, result.variables)
  }
  seen.at_once = result.plan.concurrent
  if (one.expect.guard) seen.guard = await guard(world, result.event, result.verdict)
  return seen
}

async function fireEvent(world: World, name: string, payload: Record<string, unknown>, automatic = false) {
  const { one, profile, state } = world
  const spec = eventsUnder(profile).get(name as EventName) ?? findEvent(name)!
  conversation.beforeEvent(state, spec, automatic, () => 'generation')
  const event = toEvent(world, spec, payload)
  const variables = state.variables
  const denials = (one.host?.required ?? []).filter(
    source => !one.hooks.some(hook => hook.source === source) || one.config?.[source]?.raw !== undefined,
  )
  const judging = rounds(event, {
    denials: () =>
      denials.map(source => ({ message: `The ${source} source is required.`, source, file: null })),
    elapsedMs: () => 0,
  })
  const payloads = new Map<number, Record<string, unknown>>()
  const ranBefore = new Map<number, number>()
  let planned: Plan | undefined
  let step = judging.next()
  while (!step.done) {
    const { event, author } = step.value
    const hooks = definitionsOf(one, name, profile)
    planned = plan(
      event,
      hooks.filter(({ id }) => id !== author?.id),
    )
    step = judging.next(await runAll(planned, world, ranBefore))
    for (const { hook } of planned.hooks) payloads.set(placeOfId(hook.id), event.payload)
  }
  const verdict = step.value
  conversation.afterEvent(state, spec, verdict)
  return { plan: planned!, event, verdict, variables, payloads }
}

function toEvent({ one, profile, state }: World, spec: Event['spec'], sent: Record<string, unknown>): Event {
  const accepted = acceptFields(spec, conversation.withSessionFields(state, spec, sent, PLACES.project!))
  if (!accepted.ok) throw new Error(accepted.problems.map(({ message }) => message).join(' '))
  const payload = {
    hook_event_name: spec.name,
    ...(spec.conversation ? conversation.conversationFields(state) : {}),
    workspace_roots: rootsOf(one, PLACES),
    cursor_version: profile.version,
    user_email: one.host?.email ?? null,
    ...accepted.fields,
  }
  return { spec, profile, fields: payload, payload: inVersion(profile, spec, payload) }
}

/** In the order of the engine: one after the other until a response, if the version does so. */
async function runAll(
  { event, hooks, skipped: unplanned, untilAnswered }: Plan,
  { one, asked }: World,
  ranBefore: Map<number, number>,
): Promise<Ran> {
  const runs: Run[] = []
  const skipped: Skipped[] = [...unplanned]
  for (const { hook } of hooks) {
    if (
      untilAnswered &&
      runs.some(({ outcome, hook }) => outcome.kind === 'answered' && hook.mode === 'enforce')
    ) {
      skipped.push({ hook, reason: 'not-needed' })
      continue
    }
    const place = placeOfId(hook.id)
    const nth = ranBefore.get(place) ?? 0
    ranBefore.set(place, nth + 1)
    const exit = await exitOf({ recorded: one.hooks[place]!, nth, host: one.host, hook, event, place, asked })
    runs.push({ hook, exit, ...read(exit, hook, event) })
  }
  return { runs, skipped }
}

async function guard(world: World, event: Event, verdict: Verdict): Promise<GuardObservation> {
  const { host } = world.one
  let asked: string | null = null
  const answers = host?.answers ?? 'cannot'
  const onAsk = (question: { message: string | null }) => {
    asked = question.message ?? ''
    return answers === 'yes'
  }
  const enforced = await enforce(event.spec, event.fields, verdict, {
    onAsk: answers === 'cannot' ? undefined : onAsk,
    grants: host?.grants ?? (Object.keys(SOURCES) as SourceKind[]),
  })
  const code = event.spec.blocked?.code
  if (enforced.kind === 'go') {
    const { fields, granted } = enforced
    return { goes: true, granted, user: null, agent: null, code, asked, payload: { ...fields }, follows: [] }
  }
  const denial = denialFields(event.spec, event.fields, enforced.texts)
  const follows = denial
    ? [{ event: DENIAL_EVENT, payload: { ...(await fireEvent(world, DENIAL_EVENT, denial)).event.payload } }]
    : []
  const { user, agent } = enforced.texts
  return { goes: false, granted: false, user, agent, code, asked, payload: { ...event.fields }, follows }
}

// Runs a case on its recorded exits: plan, read, decide, enforce, without a process and without a file.

import { rounds } from '../packages/hooks/src/decide/rounds.js'
import { denialFacts, enforce } from '../packages/hooks/src/enforce/enforce.js'
import { plan } from '../packages/hooks/src/plan/plan.js'
import { SOURCES, type SourceKind } from '../packages/hooks/src/protocol/config.js'
import { DENIAL_EVENT, type EventName, findEvent } from '../packages/hooks/src/protocol/events.js'
import { acceptFacts, inVersion } from '../packages/hooks/src/protocol/payload.js'
import { eventsUnder, findProfile, type Profile } from '../packages/hooks/src/protocol/profiles.js'
import type { Event, Plan, Ran, Run, Skipped } from '../packages/hooks/src/protocol/run.js'
import type { Verdict } from '../packages/hooks/src/protocol/verdict.js'
import { read } from '../packages/hooks/src/read/read.js'
import { environment } from '../packages/hooks/src/run/environment.js'
import * as conversation from '../packages/hooks/src/session.js'
import type { Case } from './case.js'
import { definitionsOf, PLACES, placeOfId, rootsOf } from './definitions.js'
import { type Asked, exitOf } from './exits.js'
import { factsOf, profileOf } from './load.js'
import { type GuardObservation, type Observation, observe } from './observe.js'

interface World {
  readonly one: Case
  readonly profile: Profile
  readonly state: conversation.SessionState
  /** What each prompt hook asked, by its place in the case. */
  readonly asked: Asked
}

/** Another profile may be given instead of the one that the case names, to see whether the case notices. */
export async function runRecorded(one: Case, profile = findProfile(profileOf(one))!): Promise<Observation> {
  const state = conversation.newState({ conversationId: 'conversation' }, 'conversation', 0)
  const world: World = { one, profile, state, asked: new Map() }
  for (const step of one.before ?? []) {
    await walk(world, step.event, factsOf(step.event, step.facts), step.automatic)
  }
  const walked = await walk(world, one.event, factsOf(one.event, one.facts))
  const seen = observe(walked.verdict, walked.event, ({ hook }) => placeOfId(hook.id))
  for (const [place, hook] of seen.hooks) {
    const definition = walked.verdict.runs.find(run => placeOfId(run.hook.id) === place)!.hook
    hook.payload = walked.payloads.get(place)
    hook.cwd = definition.cwd
    hook.asked = world.asked.get(place)
    const host = {
      env: one.host?.variables ?? {},
      version: profile.version,
      userEmail: one.host?.email ?? null,
      remote: one.host?.remote ?? false,
    }
    hook.env = environment(host, definition, walked.event.payload, walked.variables)
  }
  seen.at_once = walked.plan.concurrent
  if (one.expect.guard) seen.guard = await guard(world, walked.event, walked.verdict)
  return seen
}

async function walk(world: World, name: string, facts: Record<string, unknown>, automatic = false) {
  const { one, profile, state } = world
  const spec = eventsUnder(profile).get(name as EventName) ?? findEvent(name)!
  conversation.beforeEvent(state, spec, automatic, () => 'generation')
  const event = toEvent(world, spec, facts)
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

function toEvent({ one, profile, state }: World, spec: Event['spec'], facts: Record<string, unknown>): Event {
  const accepted = acceptFacts(spec, conversation.withOwnFacts(state, spec, facts, PLACES.project!))
  if (!accepted.ok) throw new Error(accepted.problems.map(({ message }) => message).join(' '))
  const payload = {
    hook_event_name: spec.name,
    ...(spec.conversation ? conversation.conversationFacts(state) : {}),
    workspace_roots: rootsOf(one, PLACES),
    cursor_version: profile.version,
    user_email: one.host?.email ?? null,
    ...accepted.facts,
  }
  return { spec, profile, facts: payload, payload: inVersion(profile, spec, payload) }
}

/** The order of the real thing: one after the other until an answer, where the version does so. */
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
  const enforced = await enforce(event.spec, event.facts, verdict, {
    onAsk: answers === 'cannot' ? undefined : onAsk,
    grants: host?.grants ?? (Object.keys(SOURCES) as SourceKind[]),
  })
  const code = event.spec.blocked?.code
  if (enforced.kind === 'go') {
    const { facts, granted } = enforced
    return { goes: true, granted, user: null, agent: null, code, asked, facts: { ...facts }, follows: [] }
  }
  const denial = denialFacts(event.spec, event.facts, enforced.texts)
  const follows = denial
    ? [{ event: DENIAL_EVENT, payload: { ...(await walk(world, DENIAL_EVENT, denial)).event.payload } }]
    : []
  const { user, agent } = enforced.texts
  return { goes: false, granted: false, user, agent, code, asked, facts: { ...event.facts }, follows }
}

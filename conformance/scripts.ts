// Runs a case on real scripts: its files on disk, the engine opened on them, the event fired.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type EventName,
  HookBlockedError,
  type Hooks,
  type HostOptions,
  openHooks,
  type Verdict,
} from '@holdfast/hooks'
import { lintCatalog } from '../packages/cli/src/check/lint.js'
import { findEvent } from '../packages/hooks/src/protocol/events.js'
import { eventsUnder, findProfile, type ProfileName } from '../packages/hooks/src/protocol/profiles.js'
import type { Event } from '../packages/hooks/src/protocol/run.js'
import type { Case } from './case.js'
import { differences } from './compare.js'
import { rootsOf } from './definitions.js'
import { type Asked, replyOf } from './exits.js'
import { eventOf, payloadOf, profileOf } from './load.js'
import { bare, type GuardObservation, type Observation, observe, type PlaceOf } from './observe.js'
import { FOLLOWERS, type Workspace, writeWorkspace } from './workspace.js'

/** The differences from the expectations of the case. */
export async function runScripts(one: Case): Promise<string[]> {
  const workspace = writeWorkspace(one)
  let hooks: Hooks | undefined
  try {
    const asked: Asked = new Map()
    let question: string | null = null
    const host = hostOf(one, workspace, asked, message => (question = message ?? ''))
    hooks = await openHooks(host)
    for (const step of one.before ?? []) {
      const payload = payloadOf(step.event, step.payload) as never
      await hooks.fire(step.event as EventName, payload, { automatic: step.automatic === true })
    }
    if (one.change) await changed(workspace, hooks, host)
    const { verdict, guard } = await fire(one, hooks)
    const observed = observe(verdict, eventFor(one), placesOf(one))
    observed.issues = lintCatalog(hooks.catalog(), {
      home: host.home!,
      env: host.env!,
      platform: process.platform,
    }).issues.map(issue => bare(issue.code))
    if (guard) observed.guard = { ...guard, asked: question, follows: follows(one, workspace) }
    readRecordings(one, workspace, observed, asked)
    return differences(one.expect, observed, workspace.places)
  } finally {
    hooks?.close()
    workspace.close()
  }
}

/** Waits until the engine has read the files again. For a version that does not watch files, another engine watches. */
async function changed({ change }: Workspace, hooks: Hooks, host: HostOptions): Promise<void> {
  const isWatched = findProfile(host.profile!)!.config.reload !== 'restart'
  const watching = isWatched ? hooks : await openHooks({ ...host, profile: 'holdfast' })
  const reloaded = new Promise<unknown>(resolve => watching.onChange(resolve))
  change()
  await reloaded
  if (!isWatched) watching.close()
}

function hostOf(
  one: Case,
  { places }: Workspace,
  asked: Asked,
  onQuestion: (message: string | null) => void,
): HostOptions {
  const { host = {} } = one
  const prompts = one.hooks.map((hook, at) => ({ hook, at })).filter(({ hook }) => hook.type === 'prompt')
  const evaluatePrompt = (question: { prompt: string }) => {
    const { hook, at } = prompts.find(one =>
      question.prompt.startsWith(one.hook.prompt!.split('$ARGUMENTS')[0]!),
    )!
    asked.set(at, question.prompt)
    return replyOf(hook.reply)
  }
  const onAsk = (question: { message: string | null }) => {
    onQuestion(question.message)
    return host.answers === 'yes'
  }
  return {
    workspaceRoots: rootsOf(one, places),
    home: places.home!,
    enterpriseDir: places.enterprise!,
    profile: profileOf(one) as ProfileName,
    claude: one.hooks.some(hook => hook.source.startsWith('claude')),
    plugins: one.hooks.some(hook => hook.source === 'plugin') ? [places.plugin!] : [],
    required: host.required ?? [],
    // Signatures of manifests are tested in packages/team.
    trustUnsignedTeams: true,
    trustAll: host.trusted !== false,
    watch: one.change !== undefined,
    userEmail: host.email ?? null,
    remote: host.remote ?? false,
    env: { PATH: process.env.PATH, HOME: places.home!, ...host.variables },
    ...(host.grants ? { grants: host.grants } : {}),
    ...(host.model === false ? {} : { evaluatePrompt }),
    ...(host.answers === 'yes' || host.answers === 'no' ? { onAsk } : {}),
  }
}

async function fire(one: Case, hooks: Hooks) {
  const name = one.event as EventName
  const payload = payloadOf(one.event, one.payload) as never
  if (!one.expect.guard) return { verdict: await hooks.fire(name, payload) }
  const code = findEvent(one.event)?.blocked?.code
  const unknown = { asked: null, follows: [] }
  try {
    const { verdict, granted, ...changed } = await hooks.guard(name, payload)
    const guard: GuardObservation = {
      goes: true,
      granted,
      user: null,
      agent: null,
      code,
      payload: changed,
      ...unknown,
    }
    return { verdict, guard }
  } catch (error) {
    if (!(error instanceof HookBlockedError)) throw error
    await hooks.settled()
    const { userMessage: user, agentMessage: agent } = error
    const blocked = {
      goes: false,
      granted: false,
      user,
      agent,
      code: error.wireCode ?? undefined,
      payload: {},
    }
    return { verdict: error.verdict, guard: { ...blocked, ...unknown } satisfies GuardObservation }
  }
}

/** The part of the event that the decision of a run depends on. */
function eventFor(one: Case): Event {
  const profile = findProfile(profileOf(one))!
  const spec = eventsUnder(profile).get(one.event as EventName) ?? findEvent(one.event)!
  return { spec, profile, payload: {}, fields: {} }
}

const placesOf =
  (one: Case): PlaceOf =>
  ({ hook }: { hook: Verdict['runs'][number]['hook'] }) => {
    const named = /hook-(\d+)\.sh/.exec(hook.command ?? '')
    if (named) return Number(named[1])
    const at = one.hooks.findIndex(
      other =>
        eventOf(other, one) === hook.event &&
        (hook.type === 'prompt' ? other.prompt === hook.prompt : other.command === hook.command),
    )
    return at === -1 ? undefined : at
  }

/** Reads what the scripts recorded about themselves. */
function readRecordings(one: Case, { recording }: Workspace, observed: Observation, asked: Asked): void {
  const read = (at: number | string, name: string) => {
    const path = join(recording(at), name)
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined
  }
  for (const [at, hook] of observed.hooks) {
    const payload = read(at, 'in')
    if (payload) hook.payload = JSON.parse(payload)
    hook.cwd = read(at, 'cwd')?.trimEnd()
    hook.asked = asked.get(at)
    const lines = read(at, 'env')?.split('\n') ?? []
    hook.env = Object.fromEntries(lines.map(line => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)]))
  }
  if (one.expect.at_once !== undefined) {
    observed.at_once = one.hooks.some((_, at) => Number(read(at, 'beside') ?? 0) > 1)
  }
}

/** The events whose hook was called. */
const follows = (_: Case, { recording }: Workspace): GuardObservation['follows'] =>
  FOLLOWERS.filter(event => existsSync(recording(event)) && readdirSync(recording(event)).includes('in')).map(
    event => ({
      event,
      payload: JSON.parse(readFileSync(join(recording(event), 'in'), 'utf8')),
    }),
  )

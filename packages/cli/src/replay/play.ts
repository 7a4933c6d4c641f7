// Fires the events of the log again, in their order, each conversation as one session. Nothing is logged.

import { type Hooks, HooksError, openHooks, type RunRecord } from '@holdfast/hooks'
import {
  type EventName,
  findEvent,
  findProfile,
  type HookDefinition,
  type ProfileName,
} from '@holdfast/hooks/protocol'
import { evaluatePrompt } from '../model.js'
import { count } from '../print/words.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'
import { compare, type Difference } from './compare.js'
import { type Effect, effectOf } from './effect.js'
import { leftOut, type Occurrence, sessionOf } from './occurrences.js'

/** Selects the hooks of an event for the replay. */
export type Swap = (event: EventName, hooks: readonly HookDefinition[]) => readonly HookDefinition[]
export type Replace = (profile: ProfileName) => Promise<Swap>

export interface Replayed extends Difference {
  readonly one: Occurrence
  readonly before: Effect
  readonly after: Effect
  /** Parts that the log left out of the payload; the result may differ because of them. */
  readonly leftOut: readonly string[]
}

export interface NotReplayed {
  readonly one: Occurrence
  readonly reason: string
}

export interface Played {
  readonly replayed: readonly Replayed[]
  readonly notReplayed: readonly NotReplayed[]
}

export interface PlayOptions {
  readonly workspace: Workspace
  /** Undefined: each event as the version that it was recorded under. */
  readonly profile: ProfileName | undefined
  readonly replace: Replace
  readonly signal: AbortSignal
  readonly onNext: (index: number) => void
}

export async function play(events: readonly Occurrence[], options: PlayOptions): Promise<Played> {
  const stages = new Map<ProfileName, ReplayEngine>()
  const replayed: Replayed[] = []
  const notReplayed: NotReplayed[] = []
  try {
    for (const [index, one] of events.entries()) {
      options.onNext(index)
      const name = options.profile ?? one.records[0].profile
      const profile = findProfile(name)
      const spec = findEvent(one.records[0].event)
      if (!profile || !spec) {
        const what = profile ? `event ${one.records[0].event}` : `profile ${name}`
        notReplayed.push({ one, reason: `there is no ${what} here` })
        continue
      }
      const stage = stages.get(name as ProfileName) ?? (await openStage(name as ProfileName, events, options))
      stages.set(name as ProfileName, stage)
      const outcome = await stage.fire(one, options.signal)
      if ('reason' in outcome) notReplayed.push({ one, reason: outcome.reason })
      else {
        const first = one.records[0]
        const before = effectOf(one.records, first.verdict ?? {}, findProfile(first.profile) ?? profile)
        const after = effectOf(outcome.records, outcome.verdict, profile)
        replayed.push({ one, before, after, leftOut: leftOut(one), ...compare(before, after) })
      }
    }
  } finally {
    for (const stage of stages.values()) stage.close()
  }
  return { replayed, notReplayed }
}

type Outcome =
  | { readonly records: readonly RunRecord[]; readonly verdict: RunRecord['verdict'] }
  | { readonly reason: string }

/** The engine as one version, with its sessions. */
interface ReplayEngine {
  fire(one: Occurrence, signal: AbortSignal): Promise<Outcome>
  close(): void
}

async function openStage(
  profile: ProfileName,
  events: readonly Occurrence[],
  options: PlayOptions,
): Promise<ReplayEngine> {
  const { workspace, replace } = options
  const swap = await replace(profile)
  const hooks = await openHooks({
    ...workspace.host,
    ...whoIn(events, options.profile === undefined),
    profile,
    env: { ...process.env, HOLDFAST_REPLAY: '1' },
    evaluatePrompt,
    log: { file: null },
    rehearsal: true,
  })
  try {
    mustBeWhole(hooks, profile, namesUnder(profile, events, options), swap)
  } catch (error) {
    hooks.close()
    throw error
  }
  const sessions = new Map<string | null, ReturnType<Hooks['resumeSession']>>()
  let heard: RunRecord[] = []
  hooks.onRun(record => heard.push(record))
  return {
    async fire(one, signal) {
      const id = sessionOf(one)
      const session = sessions.get(id) ?? hooks.resumeSession(id === null ? {} : { conversationId: id })
      sessions.set(id, session)
      try {
        const fields = fieldsOf(one, options.profile === undefined) as never
        const { event } = one.records[0]
        const { permission, continue: goesOn } = await session.fire(event, fields, {
          signal,
          choose: all => swap(event, all),
        })
        // Records are made after the verdict, and at once when they are requested.
        hooks.log()
        return { records: heard, verdict: { permission, continue: goesOn } }
      } catch (error) {
        if (!HooksError.isInstance(error) || error.code !== 'use/bad-payload') throw error
        return { reason: error.message.replace(/^\[[\w/-]+\] \w+: /, '').replace(/\.$/, '') }
      } finally {
        heard = []
      }
    },
    close: () => hooks.close(),
  }
}

/** The events that will be fired as this version. */
const namesUnder = (profile: ProfileName, events: readonly Occurrence[], options: PlayOptions): Set<string> =>
  new Set(
    events
      .map(({ records }) => records[0])
      .filter(record => (options.profile ?? record.profile) === profile)
      .map(({ event }) => event),
  )

/** Without all hooks, a replay would report their denials as allowed. */
function mustBeWhole(hooks: Hooks, profile: ProfileName, events: ReadonlySet<string>, swap: Swap): void {
  const { layers, byEvent } = hooks.catalog()
  const failed = layers.find(({ state }) => state === 'failed')
  if (failed) {
    throw new UsageError(
      `${failed.source.file} cannot be loaded, so a replay would be meaningless. See: holdfast check`,
    )
  }
  const taking = [...byEvent].filter(([name]) => events.has(name)).flatMap(([name, all]) => swap(name, all))
  const untrusted = taking.filter(hook => !hook.trusted).length
  if (untrusted === 0) return
  const [are, them] = untrusted === 1 ? ['is', 'it'] : ['are', 'them']
  // Each version finds scripts in its own folders, and trust applies to the scripts that are found.
  const [as, next] =
    profile === 'holdfast'
      ? ['', 'holdfast trust']
      : [
          ` as ${profile} finds ${them}`,
          `holdfast trust --profile ${profile}, or replay with --profile holdfast`,
        ]
  throw new UsageError(
    `${count(untrusted, 'hook')} of these events ${are} not trusted${as}, and a replay without ${them} would be meaningless. Review with: ${next}`,
  )
}

/** The engine sets these itself; a version's number only if it is the recorded one. */
function fieldsOf({ records: [{ request }] }: Occurrence, isRecorded: boolean): Record<string, unknown> {
  const { hook_event_name: _, cursor_version, ...fields } = request
  return isRecorded && cursor_version !== undefined ? { ...fields, cursor_version } : fields
}

/** Hooks also read these from their environment, which is shared by all events: the last values. */
function whoIn(events: readonly Occurrence[], isRecorded: boolean): { version?: string; userEmail?: string } {
  const { user_email, cursor_version } = events.at(-1)!.records[0].request
  return {
    // A record may have left the address out.
    ...(typeof user_email === 'string' && user_email.includes('@') ? { userEmail: user_email } : {}),
    ...(isRecorded && typeof cursor_version === 'string' ? { version: cursor_version } : {}),
  }
}

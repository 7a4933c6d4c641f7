// One example payload for each event, as a hook reads it: the sample of the row, completed as the engine completes the
// fields of a host, in the form of the requested version.

import { EVENT_SPECS, type EventName } from './events.js'
import { freeze } from './freeze.js'
import { type AnyFields, acceptFields, inVersion } from './payload.js'
import { eventsUnder, PROFILES, type Profile, type ProfileName } from './profiles.js'

const CONVERSATION: AnyFields = {
  conversation_id: 'conversation_1',
  generation_id: 'generation_1',
  model: 'default',
  transcript_path: '/home/ada/.agent/transcripts/conversation_1.txt',
  session_id: 'conversation_1',
  model_id: 'example-model',
  model_params: [{ id: 'effort', value: 'high' }],
}

/** Before the first and after the last message there is no generation. */
const WITHOUT_GENERATION: ReadonlySet<EventName> = new Set<EventName>(['sessionStart', 'sessionEnd'])

const samples = new Map<string, AnyFields>()

/** Undefined if the version does not have the event. The result is frozen. */
export function samplePayload(event: EventName, profile?: 'holdfast'): AnyFields
export function samplePayload(event: EventName, profile: ProfileName): AnyFields | undefined
export function samplePayload(event: EventName, profile: ProfileName = 'holdfast'): AnyFields | undefined {
  const key = `${profile} ${event}`
  let sample = samples.get(key)
  if (!sample) {
    sample = build(event, PROFILES[profile])
    if (sample) samples.set(key, sample)
  }
  return sample
}

function build(event: EventName, profile: Profile): AnyFields | undefined {
  if (!eventsUnder(profile).has(event)) return undefined
  const spec = EVENT_SPECS.find(({ name }) => name === event)!
  const accepted = acceptFields(spec, spec.sample)
  if (!accepted.ok) throw new Error(`The sample of ${event} is not valid: ${accepted.problems[0]?.message}`)
  const conversation = WITHOUT_GENERATION.has(event) ? { ...CONVERSATION, generation_id: '' } : CONVERSATION
  const payload = {
    hook_event_name: event,
    ...(spec.conversation ? conversation : {}),
    workspace_roots: ['/project'],
    cursor_version: profile.version,
    user_email: 'ada@example.com',
    ...accepted.fields,
  }
  return freeze(structuredClone(inVersion(profile, spec, payload)))
}

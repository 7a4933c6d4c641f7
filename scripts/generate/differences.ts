// The differences of each version for one event, as sentences.

import type { EventSpec } from '../../packages/hooks/src/protocol/events.js'
import {
  eventsUnder,
  type PayloadChange,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
  type RowChange,
} from '../../packages/hooks/src/protocol/profiles.js'
import { code, codes } from './markdown.js'

const OTHERS: readonly Profile[] = PROFILE_NAMES.filter(name => name !== 'holdfast').map(
  name => PROFILES[name],
)

export const differences = (spec: EventSpec): string[] =>
  OTHERS.map(profile => `\`${profile.name}\`: ${differencesIn(profile, spec)}`)

export function differencesIn(profile: Profile, spec: EventSpec): string {
  if (!eventsUnder(profile).has(spec.name)) return 'the event does not exist, and its hooks do not run.'
  const change = profile.events[spec.name]
  const parts = [
    ...(change ? [...ofRow(change), ...ofPayload(change.payload ?? {})] : []),
    ...ofDecision(profile, spec),
  ]
  return parts.length > 0 ? `${parts.join('; ')}.` : 'no difference.'
}

const ofRow = ({ gate, ask, failure, honours }: RowChange): string[] => [
  ...(gate === 'none' ? ['hooks cannot stop it'] : []),
  ...(ask === 'none' ? ['`ask` has no effect'] : []),
  ...(failure === 'open' ? ['the action proceeds after a failure'] : []),
  ...(honours ? [honours.length > 0 ? `honours only ${codes(honours)}` : 'ignores the response'] : []),
]

const ofPayload = ({ rename, drop, keep, seconds, attachmentKey }: PayloadChange): string[] => [
  ...Object.entries(rename ?? {}).map(([now, then]) => `\`${now}\` is called \`${then}\``),
  ...(drop ? [`without ${codes(drop)}`] : []),
  ...(keep ? [`with ${codes(keep)}`] : []),
  ...(seconds ? [`${codes(seconds)} in seconds`] : []),
  ...(attachmentKey ? [`attachments have ${code(attachmentKey)} instead of \`file_path\``] : []),
]

const ofDecision = ({ answer }: Profile, spec: EventSpec): string[] =>
  Array.isArray(answer.decision) && answer.decision.includes(spec.name)
    ? ['responses use `decision` and `reason` instead of `permission`']
    : []

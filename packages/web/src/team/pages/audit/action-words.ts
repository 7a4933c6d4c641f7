// What people did, in words; an action that is not known here is shown as it is called.

const WORDS: Readonly<Record<string, string>> = {
  'team.found': 'founded the team',
  'member.invite': 'invited',
  'member.uninvite': 'withdrew the invitation of',
  'member.join': 'joined',
  'member.role': 'changed the role of',
  'member.remove': 'removed',
  'member.owner-link': 'made a link for an owner',
  'token.create': 'made the token',
  'token.revoke': 'revoked the token',
  'device.enrol': 'enrolled the device',
  'device.group': 'changed the group of the device',
  'device.revoke': 'revoked the device',
  'device.leave': 'left the team',
  'enrolment-key.create': 'made the enrolment key',
  'enrolment-key.revoke': 'revoked the enrolment key',
  'hook.create': 'created',
  'hook.draft': 'saved a draft of',
  'hook.discard': 'discarded the draft of',
  'release.publish': 'published',
  'release.sign': 'signed',
  'release.roll-back': 'rolled back by',
  'release.advance': 'took to the next ring',
  'release.halt': 'halted',
  'release.resume': 'resumed',
  'release.done': 'finished',
  'release.pin': 'pinned',
  'release.unpin': 'unpinned',
  'rollout.settings': 'changed the rollout settings of',
  'team.kill': 'switched the kill switch on for',
  'team.revive': 'switched the kill switch off for',
  'keys.rotate': 'rotated keys, with',
  'keys.trust': 'brought in',
  'records.retention': 'changed the retention of',
}

export const actionWords = (action: string): string => WORDS[action] ?? action.replace('.', ' ')

type Fields = Readonly<Record<string, unknown>>

/** The detail as names and values; what was changed as "from → to". */
export function detailOf(json: string): readonly (readonly [string, string])[] {
  let detail: unknown
  try {
    detail = JSON.parse(json)
  } catch {
    return json === '' ? [] : [['detail', json]]
  }
  if (typeof detail !== 'object' || detail === null) return []
  const { before, after, from, to, ...rest } = detail as Fields
  const changes: (readonly [string, string])[] =
    before !== undefined || after !== undefined
      ? changesOf(before, after)
      : from !== undefined || to !== undefined
        ? [['changed', `${said(from)} → ${said(to)}`]]
        : []
  const others = Object.entries(rest)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) => [name.replaceAll('_', ' '), said(value)] as const)
  return [...changes, ...others]
}

/** Only what differs. */
function changesOf(before: unknown, after: unknown): (readonly [string, string])[] {
  if (!isFields(before) || !isFields(after)) return [['changed', `${said(before)} → ${said(after)}`]]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter(name => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map(name => [name, `${said(before[name])} → ${said(after[name])}`] as const)
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const said = (value: unknown): string =>
  value === '' || value === undefined || value === null
    ? 'none'
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

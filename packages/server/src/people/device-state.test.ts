import { expect, it } from 'vitest'
import { stateOf } from './device-state.js'

const NOW = 1_800_000_000_000
const DAY = 86_400_000
const DEVICE = { revoked_at: null, state: 'in_sync', last_seen_at: NOW, release: 2, problems: '[]' }

it.each([
  ['in_sync', {}, 2],
  ['in_sync', { release: 0 }, 0],
  ['in_sync', { release: 5 }, 0],
  ['behind', { release: 1 }, 2],
  ['behind', { release: 3 }, 2],
  ['behind', { release: 1, state: 'no_bundle' }, 2],
  ['no_bundle', { release: 0 }, 2],
  ['stale', { state: 'stale' }, 2],
  ['killed', { state: 'killed' }, 2],
  ['killed', { state: 'killed', release: 0 }, 0],
  ['in_sync', { last_seen_at: NOW - 3 * DAY }, 2],
  ['silent', { last_seen_at: NOW - 3 * DAY - 1 }, 2],
  ['attention', { problems: '[{"code":"downgrade"}]' }, 2],
  ['attention', { problems: '[{"code":"scripts"}]', state: 'killed' }, 2],
  ['silent', { last_seen_at: NOW - 4 * DAY, problems: '[{"code":"scripts"}]' }, 2],
  ['silent', { last_seen_at: NOW - 4 * DAY, state: 'killed' }, 2],
  ['revoked', { revoked_at: 1 }, 2],
  ['revoked', { revoked_at: 1, state: 'killed', last_seen_at: 0 }, 2],
  ['left', { revoked_at: 1, state: 'left' }, 2],
  ['in_sync', { state: 'left' }, 2],
])('is %s for %j with release %i wanted', (state, change, wanted) => {
  expect(stateOf({ ...DEVICE, ...change }, wanted, NOW)).toBe(state)
})

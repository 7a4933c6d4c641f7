import { describe, expect, it } from 'vitest'
import { stateWords } from './state-words.js'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const device = {
  state: 'in_sync',
  release: 5,
  wantedRelease: 5,
  lastSeenAt: '2026-11-16T11:59:00Z',
  looksCloned: false,
}

describe('the state of a device', () => {
  it.each([
    [{}, 'in sync', 'good'],
    [{ release: 0, wantedRelease: 0 }, 'in sync', 'good'],
    [{ state: 'behind', wantedRelease: 7 }, 'behind by 2', 'wait'],
    [{ state: 'behind', wantedRelease: 4 }, 'returns to 4', 'wait'],
    [{ state: 'silent', lastSeenAt: '2026-11-13T11:00:00Z' }, 'silent 3 d', 'bad'],
    [{ state: 'silent', lastSeenAt: '' }, 'silent since it was enrolled', 'bad'],
    [{ state: 'no_bundle', release: 0 }, 'no release yet', 'wait'],
    [{ state: 'attention' }, 'needs attention', 'bad'],
    [{ state: 'killed' }, 'killed', 'bad'],
    [{ state: 'revoked' }, 'revoked', 'off'],
    [{ state: 'something_new' }, 'something new', 'off'],
    [{ state: '' }, 'unknown', 'off'],
  ])('%o is shown as "%s"', (more, words, tone) => {
    expect(stateWords({ ...device, ...more }, NOW)).toMatchObject({ words, tone })
  })
})

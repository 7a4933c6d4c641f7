import { findProfile } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { type FinalDecision, mergedWords, type Voice } from './merged.js'

const voice = (name: string, decision: Voice['decision'], more: Partial<Voice> = {}): Voice => ({
  name,
  decision,
  hasFailed: false,
  observes: false,
  decided: false,
  ...more,
})
const said = (
  decision: FinalDecision,
  voices: readonly Voice[],
  profile = 'holdfast',
  gate = 'permission',
  denial = '',
) => mergedWords({ gate: gate as 'permission', decision, profile: findProfile(profile)!, voices, denial })
const decided = { decided: true }
const failed = { hasFailed: true }

describe('how a verdict came about, in words', () => {
  it('says who won over whom', () => {
    const both = [voice('a', 'deny', decided), voice('b', 'allow')]
    expect(said('deny', both)).toBe('Deny wins over allow.')
    expect(said('deny', [...both, voice('c', 'ask')])).toBe('Deny wins over ask and allow.')
    expect(said('ask', [voice('a', 'ask', decided), voice('b', 'allow')])).toBe('Ask wins over allow.')
    expect(said('allow', [voice('a', 'allow', decided), voice('b', 'abstain')])).toBe(
      'Only a had an opinion: allow.',
    )
    expect(said('allow', [voice('a', 'allow', decided), voice('b', 'allow', decided)])).toBe(
      'All hooks with an opinion said allow.',
    )
  })

  it('says what became of who failed, watched or was silent', () => {
    expect(said('deny', [voice('a', 'deny', decided), voice('b', 'abstain', failed)])).toBe(
      'Only a had an opinion: deny. b failed, and a failed hook has no say here.',
    )
    expect(said('none', [voice('a', 'abstain', failed)])).toBe(
      'No hook that worked had an opinion, so it may proceed. a failed, and a failed hook has no say.',
    )
    expect(said('deny', [voice('a', 'deny', { ...decided, ...failed })])).toBe(
      'a failed, and that counts as deny.',
    )
    expect(said('none', [voice('a', 'deny', { observes: true })])).toBe(
      'No hook had an opinion, so it may proceed. A hook that observes has no say.',
    )
    expect(said('none', [voice('a', 'abstain')])).toBe('No hook had an opinion, so it may proceed.')
    expect(said('none', [])).toBe('No hook ran, so it may proceed.')
    expect(said('deny', [], 'holdfast', 'permission', 'The team source is missing.')).toBe(
      'It is denied whatever hooks respond. The team source is missing.',
    )
  })

  it('says what old versions do not hear', () => {
    expect(said('allow', [voice('a', 'allow', decided), voice('b', 'deny')], 'cursor-2.4')).toBe(
      'Only a had an opinion: allow. The deny of b is lost: 2.4 hears only the highest source with an opinion.',
    )
    expect(said('none', [voice('a', 'deny')], 'cursor-3', 'continue')).toBe(
      'No hook had an opinion, so it may proceed. The deny of a is lost: 3 forgets it when another hook prints nothing.',
    )
  })

  it('says that some events decide nothing', () => {
    expect(said('none', [], 'holdfast', 'none')).toBe('No hook ran.')
    expect(said('none', [voice('a', 'abstain')], 'holdfast', 'none')).toContain('cannot be stopped')
  })

  it('does not name more than a few', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map(name => voice(name, 'deny', { ...decided, ...failed }))
    expect(said('deny', many)).toBe('a, b and 3 more failed, and that counts as deny.')
  })
})

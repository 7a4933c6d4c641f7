import { findProfile } from '@holdfast/hooks/protocol'
import { describe, expect, it } from 'vitest'
import { type FinalDecision, mergedWords, type RunDecision } from './merged.js'

const run = (
  name: string,
  decision: RunDecision['decision'],
  more: Partial<RunDecision> = {},
): RunDecision => ({
  name,
  decision,
  hasFailed: false,
  observes: false,
  decided: false,
  ...more,
})
const said = (
  decision: FinalDecision,
  decisions: readonly RunDecision[],
  profile = 'holdfast',
  gate = 'permission',
  denial = '',
) => mergedWords({ gate: gate as 'permission', decision, profile: findProfile(profile)!, decisions, denial })
const decided = { decided: true }
const failed = { hasFailed: true }

describe('how a verdict came about, in words', () => {
  it('says who won over whom', () => {
    const both = [run('a', 'deny', decided), run('b', 'allow')]
    expect(said('deny', both)).toBe('Deny takes precedence over allow.')
    expect(said('deny', [...both, run('c', 'ask')])).toBe('Deny takes precedence over ask and allow.')
    expect(said('ask', [run('a', 'ask', decided), run('b', 'allow')])).toBe(
      'Ask takes precedence over allow.',
    )
    expect(said('allow', [run('a', 'allow', decided), run('b', 'abstain')])).toBe('Only a decided: allow.')
    expect(said('allow', [run('a', 'allow', decided), run('b', 'allow', decided)])).toBe(
      'All hooks that decided chose allow.',
    )
  })

  it('says what became of who failed, watched or was silent', () => {
    expect(said('deny', [run('a', 'deny', decided), run('b', 'abstain', failed)])).toBe(
      'Only a decided: deny. b failed, and a failure does not decide here.',
    )
    expect(said('none', [run('a', 'abstain', failed)])).toBe(
      'No hook decided, so the action may proceed. a failed, and a failure does not decide.',
    )
    expect(said('deny', [run('a', 'deny', { ...decided, ...failed })])).toBe(
      'a failed, and that counts as deny.',
    )
    expect(said('none', [run('a', 'deny', { observes: true })])).toBe(
      'No hook decided, so the action may proceed. A hook in audit mode does not decide.',
    )
    expect(said('none', [run('a', 'abstain')])).toBe('No hook decided, so the action may proceed.')
    expect(said('none', [])).toBe('No hook ran, so the action may proceed.')
    expect(said('deny', [], 'holdfast', 'permission', 'The team source is missing.')).toBe(
      'It is denied whatever the hooks respond. The team source is missing.',
    )
  })

  it('reports the responses that old versions ignore', () => {
    expect(said('allow', [run('a', 'allow', decided), run('b', 'deny')], 'cursor-2.4')).toBe(
      'Only a decided: allow. The deny of b does not count: 2.4 uses only the highest source that decides.',
    )
    expect(said('none', [run('a', 'deny')], 'cursor-3', 'continue')).toBe(
      'No hook decided, so the action may proceed. The deny of a does not count: 3 drops it when another hook prints nothing.',
    )
  })

  it('says that some events decide nothing', () => {
    expect(said('none', [], 'holdfast', 'none')).toBe('No hook ran.')
    expect(said('none', [run('a', 'abstain')], 'holdfast', 'none')).toContain('cannot be blocked')
  })

  it('does not name more than a few', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map(name => run(name, 'deny', { ...decided, ...failed }))
    expect(said('deny', many)).toBe('a, b and 3 more failed, and that counts as deny.')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import type { Matcher } from '../protocol/config.js'
import { match } from './match.js'
import { plan, subjectOf } from './plan.js'

const regex = (text: string, kind: 'plain' | 'regex' = 'regex'): Matcher => ({
  kind,
  text,
  regex: new RegExp(text),
  repeats: text.match(/[*+]/g)?.length ?? 0,
})
const withMatcher = (matcher: Matcher, over = {}) => definition({ matcher, ...over })

describe('matching', () => {
  it('searches, unanchored and case-sensitive', () => {
    const hooks = [
      withMatcher(regex('curl|wget', 'plain')),
      withMatcher(regex('Curl', 'plain')),
      withMatcher(regex('^rm')),
    ]
    expect(match(hooks, 'sudo curl x')).toEqual(['yes', 'no', 'no'])
  })

  it('knows lookaround', () => {
    expect(match([withMatcher(regex('git (?!status)'))], 'git push')).toEqual(['yes'])
    expect(match([withMatcher(regex('git (?!status)'))], 'git status')).toEqual(['no'])
  })

  it.each(['(a+)+$', '(a|a)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'is bounded on 50,000 characters: %s',
    text => {
      const subject = `${'a'.repeat(50_000)}!`
      const began = performance.now()
      expect(match([withMatcher(regex(text))], subject)).toEqual(['slow'])
      expect(performance.now() - began).toBeLessThan(100)
    },
  )

  it('is bounded for many evil patterns together, and good ones are still judged', () => {
    const evil = Array.from({ length: 20 }, (_, i) => withMatcher(regex(`(a+)+${'$'.repeat((i % 3) + 1)}`)))
    const good = withMatcher(regex('!$'))
    const subject = `${'a'.repeat(50_000)}!`
    const began = performance.now()
    const results = match([...evil, good], subject)
    expect(performance.now() - began).toBeLessThan(100)
    expect(results.at(-1)).toBe('yes')
    expect(results.slice(0, -1).every(result => result === 'slow')).toBe(true)
  })

  it('agrees with the plain use of the pattern', () => {
    const pattern = fc.constantFrom('a', 'a|b', '^a', 'b$', '[ab]c', 'a.c', '(ab)+', 'a{2,3}', '\\d+', 'x?')
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), fc.string(), (patterns, subject) => {
        const results = match(
          patterns.map(text => withMatcher(regex(text))),
          subject,
        )
        expect(results).toEqual(patterns.map(text => (new RegExp(text).test(subject) ? 'yes' : 'no')))
      }),
    )
  })

  it('says invalid for a pattern that proves too large when it is used', () => {
    expect(match([withMatcher(regex(`${'a'.repeat(300_000)}(b)`))], 'a')).toEqual(['invalid'])
  })
})

describe('a plan', () => {
  const evil = withMatcher({ kind: 'invalid', text: '(', error: 'Unterminated group' })

  it('keeps order and gives each skipped hook its reason', () => {
    const hooks = [
      definition({ id: '1' }),
      withMatcher(regex('curl'), { id: '2' }),
      definition({ id: '3', trusted: false }),
      withMatcher(regex('push'), { id: '4' }),
    ]
    const planned = plan(eventOf('beforeShellExecution', { command: 'git push' }), hooks)
    expect(planned.hooks.map(({ hook, why }) => [hook.id, why])).toEqual([
      ['1', 'all'],
      ['4', 'matched'],
    ])
    expect(planned.skipped.map(({ hook, reason }) => [hook.id, reason])).toEqual([
      ['2', 'matcher'],
      ['3', 'untrusted'],
    ])
  })

  it('runs a hook with a bad pattern on permission events, and only there', () => {
    expect(plan(eventOf('beforeShellExecution'), [evil]).hooks[0]).toMatchObject({ why: 'bad-matcher' })
    expect(plan(eventOf('afterShellExecution'), [evil]).skipped[0]).toMatchObject({ reason: 'bad-matcher' })
  })

  it('holds the matcher against the subject of the event', () => {
    expect(subjectOf(eventOf('beforeShellExecution', { command: 'ls' }))).toBe('ls')
    expect(subjectOf(eventOf('beforeReadFile'))).toBe('Read')
    expect(subjectOf(eventOf('beforeReadFile', { tool_name: 'TabRead' }))).toBe('TabRead')
    expect(subjectOf(eventOf('stop'))).toBe('Stop')
    expect(subjectOf(eventOf('workspaceOpen'))).toBeNull()
  })

  it('follows the version: first only, one after the other, no matchers, no such event', () => {
    const two = [definition({ id: '1' }), withMatcher(regex('never'), { id: '2' })]
    const old = plan(eventOf('beforeShellExecution', {}, 'cursor-2.1'), two)
    expect(old.skipped.map(({ reason }) => reason)).toEqual(['first-only'])
    const sequential = plan(eventOf('beforeShellExecution', {}, 'cursor-2.3'), two)
    expect(sequential).toMatchObject({ untilAnswered: true, concurrent: false })
    expect(sequential.hooks).toHaveLength(2)
    expect(plan(eventOf('preToolUse', {}, 'cursor-2.3'), two).skipped.map(({ reason }) => reason)).toEqual([
      'not-in-version',
      'not-in-version',
    ])
    expect(plan(eventOf('stop', { loop_count: 5 }, 'cursor-2.3'), two).hooks).toHaveLength(0)
  })
})

import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { definition, eventOf } from '../../../../tests/fixtures/definition.js'
import type { HookDefinition, Matcher } from '../protocol/config.js'
import { match, plan, subjectOf } from './plan.js'

const regex = (text: string, kind: 'plain' | 'regex' = 'regex'): Matcher => ({
  kind,
  text,
  regex: new RegExp(text),
  repeats: text.match(/[*+]/g)?.length ?? 0,
})
const withMatcher = (matcher: Matcher, over = {}) => definition({ matcher, ...over })

const MINUTE = 60_000

/** The clock of the engine: these times one after the other, then the last one again and again. */
function setClock(...times: readonly number[]) {
  const clock = { reads: 0 }
  const now = () => times[Math.min(clock.reads++, times.length - 1)]! / 1000
  vi.spyOn(process, 'uptime').mockImplementation(now)
  return clock
}
afterEach(() => vi.restoreAllMocks())

/** With a minute after the first look: a busy machine must not cut off a quick pattern. */
function matchUnhurried(hooks: readonly HookDefinition[], subject: string) {
  setClock(0, -MINUTE)
  return match(hooks, subject)
}

describe('matching', () => {
  it('searches, unanchored and case-sensitive', () => {
    const hooks = [
      withMatcher(regex('curl|wget', 'plain')),
      withMatcher(regex('Curl', 'plain')),
      withMatcher(regex('^rm')),
    ]
    expect(matchUnhurried(hooks, 'sudo curl x')).toEqual(['yes', 'no', 'no'])
  })

  it('knows lookaround', () => {
    expect(matchUnhurried([withMatcher(regex('git (?!status)'))], 'git push')).toEqual(['yes'])
    expect(matchUnhurried([withMatcher(regex('git (?!status)'))], 'git status')).toEqual(['no'])
  })

  // Without a bound these would run forever.
  it.each(['(a+)+$', '(a|a)*$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    'is bounded on 50,000 characters: %s',
    text => {
      expect(match([withMatcher(regex(text))], `${'a'.repeat(50_000)}!`)).toEqual(['slow'])
    },
  )

  it('agrees with the plain use of the pattern', () => {
    const pattern = fc.constantFrom('a', 'a|b', '^a', 'b$', '[ab]c', 'a.c', '(ab)+', 'a{2,3}', '\\d+', 'x?')
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), fc.string(), (patterns, subject) => {
        const results = matchUnhurried(
          patterns.map(text => withMatcher(regex(text))),
          subject,
        )
        expect(results).toEqual(patterns.map(text => (new RegExp(text).test(subject) ? 'yes' : 'no')))
      }),
    )
  })

  it('says invalid for a pattern that proves too large when it is used', () => {
    expect(matchUnhurried([withMatcher(regex(`${'a'.repeat(300_000)}(b)`))], 'a')).toEqual(['invalid'])
  })
})

// A busy machine may cut a look off before its first pattern is tested. Nothing here depends on that.
describe('the time for all patterns of an event', () => {
  function timeline(...times: readonly number[]) {
    const clock = setClock(...times)
    const tested: string[] = []
    return {
      /** What was tested after the first look, in order. */
      tested,
      /** A pattern that does not end while fewer than `until` times were read. */
      pattern(name: string, until: number, over: Partial<HookDefinition> = {}, repeats = 0): HookDefinition {
        const test = () => {
          if (clock.reads > 1) tested.push(name)
          while (clock.reads < until);
          return true
        }
        return withMatcher({ kind: 'regex', text: name, regex: { test } as never, repeats }, over)
      },
    }
  }
  const NEVER = Number.POSITIVE_INFINITY

  it('ends the tests when it is used up, and the rest is slow', () => {
    const { pattern, tested } = timeline(0, 30, 60)
    const hooks = Array.from({ length: 300 }, (_, i) => pattern(`p${i}`, NEVER))
    expect(match(hooks, 'x')).toEqual(hooks.map(() => 'slow'))
    expect(tested.length).toBeLessThanOrEqual(1)
  })

  it('goes on while some is left', () => {
    const { pattern } = timeline(0, 0, 0, -MINUTE)
    expect(match([pattern('a', NEVER, { rank: 0 }), pattern('b', 0, { rank: 1 })], 'x')).toEqual([
      'slow',
      'yes',
    ])
  })

  it('is spent on high sources first, then on simple patterns, and on observers last', () => {
    const { pattern, tested } = timeline(0, -MINUTE)
    const hooks = [
      pattern('observed', 2, { rank: 0, mode: 'observe' }),
      pattern('low', 0, { rank: 3 }),
      pattern('high and complex', 0, { rank: 1 }, 9),
      pattern('high and simple', 0, { rank: 1 }, 1),
    ]
    expect(match(hooks, 'x')).toEqual(['yes', 'yes', 'yes', 'yes'])
    expect(tested).toEqual(['high and simple', 'high and complex', 'low', 'observed'])
  })

  it('gives a pattern that was cut off behind another a turn of its own', () => {
    const { pattern } = timeline(0, -750, 0, -MINUTE)
    expect(match([pattern('late', 4, {}, 1), pattern('quick', 0)], 'x')).toEqual(['yes', 'yes'])
  })
})

describe('a plan', () => {
  const evil = withMatcher({ kind: 'invalid', text: '(', error: 'Unterminated group' })

  it('keeps order and gives each skipped hook its reason', () => {
    const hooks = [
      definition({ id: '1' }),
      withMatcher(regex('curl', 'plain'), { id: '2' }),
      definition({ id: '3', trusted: false }),
      withMatcher(regex('push', 'plain'), { id: '4' }),
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

  it('runs a hook with a slow pattern on permission events, and only there', () => {
    const slow = withMatcher(regex('(a+)+$'))
    const command = `${'a'.repeat(50_000)}!`
    expect(plan(eventOf('beforeShellExecution', { command }), [slow]).hooks[0]).toMatchObject({
      why: 'matcher-slow',
    })
    expect(plan(eventOf('afterShellExecution', { command }), [slow]).skipped[0]).toMatchObject({
      reason: 'matcher-slow',
    })
  })

  it('matches the matcher against the subject of the event', () => {
    expect(subjectOf(eventOf('beforeShellExecution', { command: 'ls' }))).toBe('ls')
    expect(subjectOf(eventOf('beforeReadFile'))).toBe('Read')
    expect(subjectOf(eventOf('beforeReadFile', { tool_name: 'TabRead' }))).toBe('TabRead')
    expect(subjectOf(eventOf('stop'))).toBe('Stop')
    expect(subjectOf(eventOf('workspaceOpen'))).toBeNull()
  })

  it('follows the version: first only, one after the other, no matchers, no such event', () => {
    const two = [definition({ id: '1' }), withMatcher(regex('never', 'plain'), { id: '2' })]
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

describe('a fixed limit of follow-ups', () => {
  it('skips no hook of an event that causes none, whatever count the host gives', () => {
    const planFor = (name: 'beforeShellExecution' | 'stop') => {
      const event = eventOf(name, {}, 'cursor-1.7')
      return plan({ ...event, fields: { ...event.fields, loop_count: 5 } }, [definition({ event: name })])
    }
    expect(planFor('stop')).toMatchObject({ hooks: [], skipped: [{ reason: 'loop-limit' }] })
    expect(planFor('beforeShellExecution')).toMatchObject({ hooks: [{}], skipped: [] })
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../../tests/cpu-time.js'
import { randomRuns } from '../../../../tests/scope.js'
import { compileMatcher, matcherText } from '../config/matcher.js'
import { translateClaudeMatcher } from '../discover/claude.js'

describe('matchers', () => {
  test.each([undefined, '', '*'])('%j matches all', text => {
    expect(compileMatcher(text)).toEqual({ kind: 'all' })
  })

  test.each(['Shell', 'Shell|Write', '^Shell$', 'a.b', 'MCP:query', 'rm -rf /'])('%s is plain', text => {
    expect(compileMatcher(text)).toMatchObject({ kind: 'plain', text })
  })

  test.each(['.*', 'a+', '(a|b)', '[ab]', 'a{2}', 'a?', '\\bcurl', '(?!x)', '(?<=x)y'])(
    '%s is a regex',
    text => {
      expect(compileMatcher(text)).toMatchObject({ kind: 'regex', text })
    },
  )

  test.each([
    ['(', 'Unterminated group'],
    ['[', 'Unterminated character class'],
    ['+', 'Nothing to repeat'],
    ['**', 'Nothing to repeat'],
  ])('%s is invalid', (text, error) => {
    expect(compileMatcher(text)).toEqual({ kind: 'invalid', text, error })
  })

  test.each([
    ['ab', 0],
    ['a{2}b?', 0],
    ['a{2,3}', 0],
    ['a*b+', 2],
    ['a{2,}', 1],
    ['(?:a+)*b{1,}', 3],
  ])('%s repeats %i parts without a limit', (text, repeats) => {
    expect(compileMatcher(text)).toMatchObject({ text, repeats })
  })

  test('any text gives some matcher', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab()[]{}*+?\\|^$.:-,09') }), text => {
        expect(matcherText(compileMatcher(text))).toBe(text === '*' ? '' : text)
      }),
    )
  })
})

describe('patterns that nothing could cut off', () => {
  const nested = (depth: number) => '('.repeat(depth) + ')'.repeat(depth)

  test.each([
    ['length', '\\d'.repeat(5000), '\\d'.repeat(5001)],
    ['depth', nested(59), nested(60)],
    ['counted repeats', '(?:x{200}){200}', '(?:x{300}){300}'],
    ['open counted repeats', '(?:x?){20000}', '(?:x?){30000}'],
    ['repeats up to a number', '(?:x{1,200}){1,200}', '(?:x{1,300}){1,300}'],
    ['character classes', `(?:[${'a-z'.repeat(300)}]{3}){3}`, `(?:[${'a-z'.repeat(3000)}]{3}){3}`],
    ['repeats after an escaped bracket', '[\\]](?:x{200}){200}', '[\\]](?:x{300}){300}'],
    [
      'written-out repeats',
      '(?:(?:a{2}){2}){2}',
      '(?:'.repeat(20) + 'a'.repeat(9) + '{2}){2}'.repeat(1) + '){2}'.repeat(19),
    ],
  ])('are refused by their %s', (_, cheap, costly) => {
    expect(compileMatcher(cheap).kind).not.toBe('invalid')
    expect(compileMatcher(costly)).toMatchObject({ kind: 'invalid' })
  })
})

test('brackets inside a character class are no groups', () => {
  for (const text of [`[\\]${'('.repeat(70)}]`, `[${'('.repeat(70)}]`])
    expect(compileMatcher(text)).toMatchObject({ kind: 'regex', text })
})

describe('matchers of Claude settings', () => {
  const text = (
    matcher: string | undefined,
    event: Parameters<typeof translateClaudeMatcher>[0] = 'preToolUse',
  ) => matcherText(translateClaudeMatcher(event, matcher))

  test.each([
    ['Bash', '^(?:Shell)$'],
    ['Edit|Write|MultiEdit', '^(?:Write)$'],
    ['Bash|Read', '^(?:Shell|Read)$'],
    ['Bash | Glob', '^(?:Shell|Grep)$'],
    ['Shell|Write', '^(?:Shell|Write)$'],
    ['mcp__github__create_issue', '^(?:MCP:create_issue)$'],
    ['mcp__github', '^(?:MCP:.*)$'],
    ['mcp__github__.*', 'MCP:.*'],
    ['mcp__.*__write.*', 'MCP:write.*'],
    ['mcp__.*', 'MCP:.*'],
    ['^Bash$', '^Shell$'],
    ['^(Bash|Edit)$', '^(Shell|Write)$'],
    ['\\bBash\\b', '\\bShell\\b'],
    ['BashOutput.*', 'BashOutput.*'],
    ['.*', '.*'],
    ['Notebook.*', '(?:Notebook.*)|^(?:Write)$'],
    ['.*Edit', '(?:.*Write)'.slice(3, -1)],
  ])('%s → %s', (given, expected) => {
    expect(text(given)).toBe(expected)
  })

  test('what a pattern finds there, it finds here', () => {
    const matcher = translateClaudeMatcher('postToolUse', 'B.sh|No.*')
    if (matcher.kind !== 'regex') throw new Error(matcher.kind)
    expect(['Shell', 'Write', 'Read'].map(tool => matcher.regex.test(tool))).toEqual([true, true, false])
  })

  test('absent, empty and star match all', () => {
    for (const given of [undefined, '', '*'])
      expect(translateClaudeMatcher('preToolUse', given).kind).toBe('all')
  })

  test('what is invalid stays invalid', () => {
    expect(translateClaudeMatcher('preToolUse', 'Bash(')).toMatchObject({ kind: 'invalid', text: 'Bash(' })
  })

  test('a session only starts up here', () => {
    expect(translateClaudeMatcher('sessionStart', 'startup').kind).toBe('all')
    expect(translateClaudeMatcher('sessionStart', 'startup|resume').kind).toBe('all')
    expect(translateClaudeMatcher('sessionStart', '.*').kind).toBe('all')
    for (const given of ['resume', 'clear', 'compact']) {
      expect(translateClaudeMatcher('sessionStart', given)).toEqual({ kind: 'never', text: given })
    }
  })

  test('preCompact as it is; elsewhere matchers are ignored', () => {
    expect(text('manual', 'preCompact')).toBe('manual')
    for (const event of ['stop', 'beforeSubmitPrompt', 'subagentStop', 'sessionEnd'] as const) {
      expect(translateClaudeMatcher(event, 'Bash').kind).toBe('all')
    }
  })
})

describe('patterns of an untrusted project', () => {
  const evil = (levels: number) => `${'('.repeat(levels)}.*${')*'.repeat(levels)}z`

  test.each(['preToolUse', 'sessionStart'] as const)(
    'do not stall the loading of Claude settings: %s',
    event => {
      // All in one turn of the event loop, as the entries of one file.
      const used = cpuMs(() => {
        for (let levels = 3; levels < 40; levels++) translateClaudeMatcher(event, evil(levels))
        for (let i = 0; i < 200; i++) translateClaudeMatcher(event, `${evil(7)}${i}`)
      })
      expect(used).toBeLessThan(2000)
    },
  )

  test('count as found where they take too long', () => {
    expect(translateClaudeMatcher('sessionStart', `${evil(7)}startup`)).toEqual({ kind: 'all' })
    expect(matcherText(translateClaudeMatcher('preToolUse', evil(7)))).toContain('|^(?:Shell')
  })

  test('are refused by their length before they are parsed', () => {
    expect(cpuMs(() => compileMatcher('('.repeat(20_000_000)))).toBeLessThan(500)
  })

  test('never take longer than the limit, whatever they are', () => {
    const atom = fc.constantFrom('a', '.', '\\w', '[a-z]', 'a?', 'x*', '(?=a)', '(?<=a)', 'a|a', '\\1', '')
    const repeat = fc.constantFrom('', '*', '+', '?', '{2}', '{1,9}', '{30,}', '{1000}', '*?')
    const { pattern } = fc.letrec<{ pattern: string }>(tie => ({
      pattern: fc.oneof(
        { maxDepth: 8, depthSize: 'max' },
        atom,
        fc.tuple(tie('pattern'), repeat).map(([inner, times]) => `(${inner})${times}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `${a}${b}`),
        fc
          .tuple(tie('pattern'), fc.integer({ min: 1, max: 400 }))
          .map(([inner, n]) => inner.repeat(n).slice(0, 12_000)),
      ),
    }))
    fc.assert(
      fc.property(pattern, text => {
        const used = cpuMs(() => {
          for (const event of ['preToolUse', 'sessionStart'] as const)
            translateClaudeMatcher(event, `${text}z`)
        })
        expect(used).toBeLessThan(1500)
      }),
      { numRuns: randomRuns(400) },
    )
  })
})

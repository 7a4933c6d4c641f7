// Test files as people write them, and as they should not.

import { EXPECTED_FAILURES, EXPECTED_VERDICTS } from '@holdfast/hooks/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import type { EventStep } from './cases.js'
import { readTestFile } from './read.js'

const read = (text: string) =>
  readTestFile('/shop/a.hooks-test.yaml', text, () => ({ file: '/shop/hooks.json' }))
const said = (text: string) =>
  read(text).problems.map(({ line, column, message }) => `${line}:${column} ${message}`)

/** The one event of the one case. */
const event = (fields: string): EventStep => {
  const { cases, problems } = read(`cases: [{ name: x, ${fields} }]`)
  expect(problems).toEqual([])
  return cases[0]!.steps[0] as EventStep
}
const shell = (expectation: string) => event(`event: beforeShellExecution, expect: ${expectation}`).expect

describe('expectations', () => {
  it.each(EXPECTED_VERDICTS)('verdict %s, as a word and as a key', word => {
    expect(shell(word)).toEqual({ verdict: word })
    expect(shell(`{ verdict: ${word} }`)).toEqual({ verdict: word })
  })

  it.each(EXPECTED_FAILURES)('failed %s', word => {
    expect(shell(`{ failed: ${word}, ran: 1 }`)).toEqual({ failed: word, ran: 1 })
    expect(said(`cases: [{ name: x, session: [{ event: stop, expect: { failed: ${word} } }] }]`)).toEqual([])
  })

  it.each([
    ['No.', 'No.'],
    ["''", ''],
    ['null', null],
    ['~', null],
    ['42', '42'],
    ['1.70', '1.70'],
    ['true', 'true'],
    ['/force/', /force/],
    ['/a\\/b/i', /a\/b/i],
    ['/usr/bin', '/usr/bin'],
    ['{ contains: part }', { contains: 'part' }],
    ['{ matches: "^a/b$" }', /^a\/b$/],
    ['{ equals: /force/ }', '/force/'],
  ])('user message: %s', (text, rule) => {
    expect(shell(`{ user message: ${text} }`)).toEqual({ 'user message': rule })
  })

  it.each([
    ['250', 250],
    ['250 ms', 250],
    ['250ms', 250],
    ['2 s', 2000],
    ['0.5 s', 500],
  ])('within: %s', (text, ms) => expect(shell(`{ within: ${text} }`)).toEqual({ within: ms }))

  it.each(['soon', '-1', '1 h', '.inf', 'null', '[1]', '2 s 5'])('not within: %s', text => {
    expect(said(`cases: [{ name: x, event: stop, expect: { within: ${text} } }]`)[0]).toMatch(
      /^1:\d+ within is /,
    )
  })

  it('the rest', () => {
    expect(shell('{ exit: 2, ran: 1, stderr: "" }')).toEqual({ exit: 2, ran: 1, stderr: '' })
    expect(shell('{ ran: [guard, audit] }')).toEqual({ ran: ['guard', 'audit'] })
    expect(event('event: preToolUse, expect: { rewrite: { a: { b: [1, null] } } }').expect).toEqual({
      rewrite: { a: { b: [1, null] } },
    })
    expect(event('event: sessionStart, expect: { env: { A: /x/, B: null } }').expect).toEqual({
      env: { A: /x/, B: null },
    })
    expect(event('event: workspaceOpen, expect: { plugins: [/a] }').expect).toEqual({ plugins: ['/a'] })
    expect(event('event: stop, expect: { files: { ./a//b.txt: x } }').expect).toEqual({
      files: { './a//b.txt': 'x' },
    })
  })
})

describe('cases', () => {
  it('say their place, versions and setting', () => {
    const { cases, problems, copy, level } = read(`
level: user
copy: [src, lib/a]
env: { A: 1, B: b }
files: { one.txt: 1, two.json: { a: [1] }, three.txt: }
cases:
  - name: first
    event: stop
    env: { B: c }
    expect: none
    in: { cursor-1.7: proceeds }
  - name: second
    profiles: all
    event: stop
    expect: none
`)
    expect(problems).toEqual([])
    expect({ copy, level }).toEqual({
      copy: [
        { path: 'src', line: 3, column: 8 },
        { path: 'lib/a', line: 3, column: 13 },
      ],
      level: 'user',
    })
    const [first, second] = cases
    expect(first).toMatchObject({ line: 7, column: 5, profiles: ['holdfast', 'cursor-1.7'] })
    expect(first!.setting.env).toEqual({ A: '1', B: 'c' })
    expect([...first!.setting.files]).toEqual([
      ['one.txt', '1'],
      ['two.json', '{\n  "a": [\n    1\n  ]\n}\n'],
      ['three.txt', ''],
    ])
    expect(second).toMatchObject({ line: 12, profiles: { length: 6 } })
  })

  it('may share parts by name', () => {
    const { cases, problems } = read(`
cases:
  - { name: a, event: beforeShellExecution, payload: &p { command: ls }, expect: &e { verdict: none } }
  - { name: b, event: beforeShellExecution, payload: *p, expect: *e }
`)
    expect(problems).toEqual([])
    expect((cases[1]!.steps[0] as EventStep).payload).toEqual({ command: 'ls' })
    expect((cases[1]!.steps[0] as EventStep).expect).toEqual({ verdict: 'none' })
  })

  it('may be JSON, with a mark at the beginning and tabs inside', () => {
    const text = `\ufeff{\n\t"cases": [\n\t\t{ "name": "x", "event": "stop", "expect": "none" }\n\t]\n}\n`
    expect(read(text).problems).toEqual([])
  })

  it('take fields of every version', () => {
    expect(event('event: beforeSubmitPrompt, payload: { prompt_text: hi }, expect: none').payload).toEqual({
      prompt_text: 'hi',
    })
    expect(
      said('cases: [{ name: x, event: stop, payload: { __proto__: 1, constructor: 2 }, expect: none }]'),
    ).toEqual([
      expect.stringContaining('stop has no field "__proto__".'),
      expect.stringContaining('stop has no field "constructor".'),
    ])
  })

  it.each([
    ['cases: []', '1:8 cases is an empty list.'],
    ['cases:', '1:7 cases is empty; expected a list.'],
    ['cases: 5', '1:8 cases is 5; expected a list.'],
    ['{}', '1:1 The file has no "cases:".'],
    ['- a', '1:1 The file is a list; expected keys and values.'],
    ['just text', '1:1 The file is "just text"; expected keys and values.'],
    ['cases: [{ name: x, event: [stop], expect: none }]', '1:27 event is a list; expected text.'],
    ['cases: [{ name: x, event: stop, expect: {} }]', '1:41 expect is empty, so nothing could fail.'],
    [
      'cases: [{ name: x, event: stop, expect: { failed: any } }]',
      '1:41 "failed: any" checks nothing, so nothing could fail. Add another expectation.',
    ],
    ['cases: [{ name: x, event: stop, expect: }]', '1:41 expect is empty; expected keys and values.'],
    [
      'cases: [{ name: x, event: stop, expect: none, payload: 5 }]',
      '1:56 payload is 5; expected keys and values.',
    ],
    ['cases: [{ name: x, session: [] }]', '1:29 session is an empty list.'],
    [
      'cases: [{ name: x, session: [{ loop: stop, between: [{ loop: stop }] }] }]',
      '1:54 A loop cannot be inside another one.',
    ],
    [
      'level: team\ncases: [{ name: x, event: stop, expect: none }]',
      '1:8 level is "team". Known: project, user.',
    ],
    ['copy: [../other]\ncases: [{ name: x, event: stop, expect: none }]', '1:8 "../other" is not inside'],
    [
      'files: { "C:\\\\x": y }\ncases: [{ name: x, event: stop, expect: none }]',
      '1:10 "C:\\\\x" is not inside',
    ],
    ['model says: { ok: perhaps }\ncases: [{ name: x, event: stop, expect: none }]', '1:13 model says needs'],
    ['a: !!js/function x', 'Unresolved tag'],
    ['cases: *nobody', 'Unresolved alias'],
    ['? [a]\n: b', '1:3 A key of the file is a list; expected a word.'],
    ['cases: [{ name: x, event: stop, expect: none }]\n---\ncases: []', '2:1 A second document starts here.'],
  ])('that are wrong: %s', (text, problem) => {
    expect(said(text).join('\n')).toContain(problem)
  })
})

describe('any text', () => {
  const WORDS = [
    'cases',
    'name',
    'event',
    'session',
    'expect',
    'payload',
    'stop',
    'deny',
    'loop',
    'in',
    'files',
    'env',
    'hooks',
    'copy',
    'verdict',
    'user message',
    '__proto__',
    '&a',
    '*a',
    '<<',
    '!!set',
    '%YAML',
    '"',
    "'",
    '|',
    '>',
    '\t',
    '\0',
    '/x/',
    '/(/',
    'null',
    '5',
    '...',
    '---',
  ]
  const scraps = fc
    .array(
      fc.tuple(
        fc.constantFrom(...WORDS),
        fc.constantFrom(': ', ':\n  ', '\n', '\n  - ', ', ', '[', ']', '{', '}', ' '),
      ),
      {
        maxLength: 30,
      },
    )
    .map(parts => parts.flat().join(''))

  it('is read or reported, and never throws', () => {
    fc.assert(
      fc.property(fc.oneof(scraps, fc.string(), fc.json()), text => {
        const { problems, cases } = read(text)
        for (const { line, column, message } of problems) {
          expect(line).toBeGreaterThan(0)
          expect(column).toBeGreaterThan(0)
          expect(message).toMatch(/\S/)
        }
        expect(problems.length > 0 || cases.length > 0).toBe(true)
      }),
      { numRuns: randomRuns(500) },
    )
  })
})

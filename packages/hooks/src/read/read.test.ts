import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../../tests/any-text.js'
import { definition, eventOf, exitOf } from '../../../../tests/fixtures/definition.js'
import { decisionOf } from '../decide/decide.js'
import type { EventName } from '../protocol/events.js'
import { EVENT_NAMES } from '../protocol/events.js'
import type { Exit } from '../protocol/run.js'
import { findObjects } from './find-objects.js'
import { read } from './read.js'

const shell = eventOf('beforeShellExecution')
const readShell = (stdout: string, over = {}) => read(exitOf({ stdout, ...over }), definition(), shell)
const deny = '{"permission":"deny","user_message":"no"}'
const OVERFLOW = { code: 'run/overflow', message: '' } as const

describe('finding the answer on stdout', () => {
  it('takes the object that ends stdout, after any text', () => {
    expect(findObjects('log line\n{"a":1}\n').last?.value).toEqual({ a: 1 })
    expect(findObjects('{"a":{"b":"}"}}').last?.value).toEqual({ a: { b: '}' } })
    expect(findObjects('it\'s "a { b\n{"a":1}').last?.value).toEqual({ a: 1 })
    expect(findObjects('{ not json } {"a":1}').last?.value).toEqual({ a: 1 })
    expect(findObjects('{"a":1} trailing').last).toBeUndefined()
    expect(findObjects('[{"a":1}]').last).toBeUndefined()
    expect(findObjects('\uFEFF{"a":1}').last?.value).toEqual({ a: 1 })
    expect(findObjects(' \n\t').isEmpty).toBe(true)
  })

  it.each([
    '{',
    '{"',
    '{"a":',
    '{"a":"',
    '{"a\\',
    '{"\\x"',
    '[{"a":1e',
    '{"a":[{}',
    '{}',
    '{"a":1}',
    '{"a":{"a":{"b":"{"c"}}}',
    '{"permissionDecision":"deny"}',
    '"{"a":{',
    '{"a":{"a":\\"',
  ])('takes time that grows with the length only: %s', piece => {
    // Of the processor: what others do meanwhile does not count.
    const text = piece.repeat(Math.ceil((1024 * 1024) / piece.length))
    const began = process.cpuUsage()
    for (const end of ['', 'x', '}'.repeat(1000)]) readShell(text + end)
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(3000)
  })

  it('is total over any text, and always finds a response on the last line', () => {
    fc.assert(
      fc.property(anyText(), fc.dictionary(fc.string(), fc.jsonValue()), (noise, answer) => {
        const text = JSON.stringify(answer)
        const found = findObjects(`${noise}\n${text}`)
        expect(JSON.stringify(found.last?.value)).toBe(text)
      }),
    )
  })
})

describe('a deny is never lost', () => {
  it.each([
    ['after text', `checking…\n${deny}`, {}],
    ['before text', `${deny}\ndone`, {}],
    ['before another object', `${deny}\n{"status":"ok"}`, {}],
    ['before several other objects', `${deny}\n{"status":"ok"}\n{"status":"ok"}\n{"status":"ok"}`, {}],
    ['inside braces that are no JSON', `{"note": see ${deny}} end`, {}],
    ['with exit 1', deny, { code: 1 }],
    ['with exit 2', deny, { code: 2 }],
    [
      'killed by a signal',
      deny,
      { code: null, signal: 'SIGKILL', failure: { code: 'run/signal', message: '' } },
    ],
    ['at the time limit', deny, { code: null, failure: { code: 'run/timeout', message: '' } }],
    [
      'past the output limit',
      `${deny}\n${'x'.repeat(1000)}`,
      { code: null, failure: { code: 'run/overflow', message: '' } },
    ],
    ['beside a wrong field', '{"permission":"deny","user_message":5}', {}],
    ['beside an allow in the other spelling', '{"permission":"allow","decision":"deny"}', {}],
    ['as continue: false', '{"continue":false,"permission":"allow"}', {}],
    ['before the same key with another word', '{"permission":"deny","permission":"allow"}', {}],
    ['in escapes, before the same key', '{"perm\\u0069ssion":"d\\u0065ny","permission":"allow"}', {}],
    ['before an unknown word', '{"permission":"deny","permission":"denied"}', {}],
    [
      'in the first of two nested responses',
      '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{"permissionDecision":"allow"}}',
      {},
    ],
    [
      'in the first of two nested responses, of which the second is empty',
      '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":{}}',
      {},
    ],
    [
      'in a nested response before one that is no object',
      '{"hookSpecificOutput":{"permissionDecision":"deny"},"hookSpecificOutput":null}',
      {},
    ],
    [
      'in escapes, cut before its end',
      '{"x":1, "perm\\u0069ssion" : "den\\u0079","edits":[{"a":" … ',
      { code: null, failure: OVERFLOW },
    ],
    ['as a duplicate continue', '{"continue":false,"continue":true}', {}],
    ['as a duplicate decision', '{"decision":"block","decision":"approve"}', {}],
    [
      'nested and duplicate',
      '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}',
      {},
    ],
    ['nested', '{"hookSpecificOutput":{"permissionDecision":"deny"},"permission":"allow"}', {}],
    [
      'in an object that is nested very deeply',
      `{"permission":"deny","a":${'['.repeat(9999)}${']'.repeat(9999)}}`,
      {},
    ],
    ['after objects that never end', `${'{"a":"'.repeat(400)}\n{\n "permission": "deny"\n}\n`, { code: 1 }],
    ['on the line of objects that never end', `${'{"a":"'.repeat(163)}${deny}`, { code: 1 }],
    ['after quotes that are escaped in one reading only', `{"${'{\\"'.repeat(500)}\n${deny}`, { code: 1 }],
    ['with exit 2 past the output limit', 'noise', { code: 2, failure: OVERFLOW }],
    [
      'cut inside its message',
      '{"permission":"deny","user_message":"x … x"}',
      { code: null, failure: OVERFLOW },
    ],
    ['cut before its end', '{"permission": "deny","edits":[{"a":" … ', { code: null, failure: OVERFLOW }],
    ['cut before its start', ' … "}],"decision" : "block"}', { code: null, failure: OVERFLOW }],
  ])('%s', (_, stdout, over) => {
    const { outcome } = readShell(stdout, over)
    expect(outcome).toMatchObject({ kind: 'answered', answer: { permission: 'deny' } })
  })

  it('but is not combined from duplicates elsewhere', () => {
    const other = '{"permissionDecision":"deny"}'
    const { outcome } = readShell(`{"hookSpecificOutput":{},"first":${other},"second":${other}}`)
    expect(outcome).toEqual({ kind: 'answered', answer: {} })
  })

  /** The pieces of JSON in any order: objects that never end, strings that start in the middle, broken values. */
  const noise = fc
    .array(
      fc.oneof(
        fc.constantFrom(...'{}[]":,\\\n x', '{"a":', '{"a":"', '"permission":', '{}', '\\"'),
        fc.string(),
      ),
    )
    .map(parts => parts.join(''))
  const cause = fc.constantFrom(undefined, 'run/timeout', 'run/overflow', 'run/signal', 'run/threw')
  const gates = fc.constantFrom('beforeShellExecution', 'beforeSubmitPrompt', 'sessionStart', 'preToolUse')
  const printedDeny = fc.constantFrom(deny, JSON.stringify(JSON.parse(deny), null, 2), '{"continue":false}')

  it('over any noise, exit code and cause', () => {
    const code = fc.integer({ min: 0, max: 255 })
    // Text after the deny must not close an object around it: a part of another object is no response.
    const after = noise.map(text => text.replaceAll('}', ' '))
    fc.assert(
      fc.property(noise, printedDeny, after, gates, code, cause, (before, text, rest, name, exit, failed) => {
        const over = failed ? { code: null, failure: { code: failed, message: '' } } : { code: exit }
        const event = eventOf(name)
        const exited = exitOf({ stdout: `${before}${text}${rest}`, ...over } as Partial<Exit>)
        const run = { hook: definition(), exit: exited, ...read(exited, definition(), event) }
        expect(decisionOf(run, event)).toBe('deny')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('fields that are not known', () => {
  const outcomeOf = (field: string, name: EventName = 'beforeShellExecution') =>
    read(exitOf({ stdout: JSON.stringify({ [field]: 'deny' }) }), definition(), eventOf(name))

  it.each([
    ['permision', 'permission'],
    ['Permission', 'permission'],
    ['PERMISSION', 'permission'],
    ['permissions', 'permission'],
    ['premission', 'permission'],
    ['perimssoin', 'permission'],
    ['contine', 'continue'],
    ['Continue', 'continue'],
    ['usermessage', 'user_message'],
    ['user-mesage', 'user_message'],
    ['update_input', 'updated_input'],
    ['desicion', 'decision'],
    ['raeson', 'reason'],
    ['hookspecificoutput', 'hookSpecificOutput'],
    ['ENV', 'env'],
  ])('%s is a misspelt %s', (field, meant) => {
    expect(outcomeOf(field).outcome).toEqual({
      kind: 'failed',
      failure: {
        code: 'run/bad-shape',
        message: `"${field}" is not a field of a response. Did you mean "${meant}"?`,
      },
    })
  })

  it.each([
    'stopReason',
    'suppressOutput',
    'systemMessage',
    'hookEventName',
    'end',
    'en',
    'message',
    'status',
    'version',
    'region',
    'error',
    'permission_decision',
    'context',
  ])('%s is ignored and noted', field => {
    const { outcome, notes } = outcomeOf(field)
    expect(outcome).toEqual({ kind: 'answered', answer: {} })
    expect(notes.map(({ code }) => code)).toEqual(['note/unknown-field'])
  })

  it.each([
    '{"permissionDecision":"deny"}',
    '{"hookSpecificOutput":{"permission":"deny"}}',
    '{"hookSpecificOutput":{"continue":false}}',
    '{"hookSpecificOutput":{"hookSpecificOutput":{"permissionDecision":"deny"}}}',
  ])('does not ignore a decision at a level where none is read: %s', stdout => {
    expect(readShell(stdout).outcome).toMatchObject({ failure: { code: 'run/bad-shape' } })
  })

  it('finds a misspelt decision in hookSpecificOutput', () => {
    const stdout = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecison":"deny"}}'
    expect(readShell(stdout).outcome).toMatchObject({ failure: { code: 'run/bad-shape' } })
  })

  it('fails, and does not block, an event that cannot be stopped', () => {
    expect(outcomeOf('followup_mesage', 'stop').outcome).toMatchObject({ failure: { code: 'run/bad-shape' } })
  })

  it('ignores them in the versions of Cursor, which do', () => {
    const event = eventOf('beforeShellExecution', {}, 'cursor-3')
    const { outcome, notes } = read(exitOf({ stdout: '{"permision":"deny"}' }), definition(), event)
    expect([outcome, notes]).toEqual([{ kind: 'answered', answer: {} }, []])
  })

  it('takes a reason beside a permission for its message, and notes one that has no effect', () => {
    expect(readShell('{"permission":"deny","reason":"r"}').outcome).toMatchObject({
      answer: { permission: 'deny', user_message: 'r', agent_message: 'r' },
    })
    expect(readShell('{"reason":"r"}').notes).toMatchObject([{ code: 'note/no-effect' }])
    const messages = { permission: 'deny', user_message: 'a', agent_message: 'b' }
    expect(readShell(JSON.stringify({ ...messages, reason: 'r' })).notes).toContainEqual({
      code: 'note/no-effect',
      message: '"reason" has no effect on beforeShellExecution here.',
    })
  })

  it.each(EVENT_NAMES)('notes every text that %s ignores', name => {
    const event = eventOf(name)
    const fields = ['user_message', 'agent_message', 'additional_context', 'followup_message'] as const
    for (const field of [...fields, 'reason', 'colour']) {
      if (field in event.spec.answer) continue
      const { notes } = read(exitOf({ stdout: JSON.stringify({ [field]: 'x' }) }), definition(), event)
      const code = field === 'colour' ? 'note/unknown-field' : 'note/no-effect'
      expect(notes).toMatchObject([{ code, message: expect.stringContaining(`"${field}"`) }])
    }
  })

  it('notes a question where nobody can be asked', () => {
    const stdout = '{"permission":"ask"}'
    const { notes } = read(exitOf({ stdout }), definition(), eventOf('beforeSubmitPrompt'))
    expect(notes).toMatchObject([{ code: 'note/no-effect' }])
  })
})

describe('reading', () => {
  it('is total over any bytes', () => {
    const code = fc.option(fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), code, (bytes, exit) => {
        const over = { code: exit, failure: exit === null ? { code: 'run/signal', message: '' } : undefined }
        const { outcome } = readShell(Buffer.from(bytes).toString('utf8'), over)
        expect(['answered', 'silent', 'failed']).toContain(outcome.kind)
      }),
    )
  })

  it('is total over any JSON object', () => {
    const value = fc.jsonValue()
    const keys = [
      'permission',
      'continue',
      'user_message',
      'decision',
      'reason',
      'hookSpecificOutput',
      'env',
      'updated_input',
    ]
    const answer = fc.record(Object.fromEntries(keys.map(key => [key, value])), { requiredKeys: [] })
    fc.assert(
      fc.property(answer, said => {
        for (const name of ['beforeShellExecution', 'stop', 'sessionStart', 'postToolUse'] as const) {
          const { outcome } = read(exitOf({ stdout: JSON.stringify(said) }), definition(), eventOf(name))
          expect(['answered', 'failed']).toContain(outcome.kind)
        }
      }),
    )
  })

  it('names what is wrong with a field', () => {
    expect(readShell('{"permission":"denied"}').outcome).toEqual({
      kind: 'failed',
      failure: { code: 'run/bad-shape', message: '"permission" is "denied"; expected allow, ask or deny.' },
    })
  })

  it('takes the messages of exit 2 from JSON, else stderr, else stdout', () => {
    const said = (stdout: string, stderr: string) => {
      const { outcome } = readShell(stdout, { code: 2, stderr })
      return outcome.kind === 'answered' ? outcome.answer : undefined
    }
    expect(said('{"user_message":"a"}', 'b')).toEqual({ permission: 'deny', user_message: 'a' })
    expect(said('{}', 'b\n')).toEqual({ permission: 'deny', user_message: 'b', agent_message: 'b' })
    expect(said('c\n', '')).toEqual({ permission: 'deny', user_message: 'c', agent_message: 'c' })
    expect(said('{}', '')).toEqual({ permission: 'deny' })
    expect(said('{"permission":"allow"}', '')).toEqual({ permission: 'deny' })
  })

  it('takes the reason of a decision for the messages that are not there', () => {
    const answerTo = (more: object) =>
      readShell(JSON.stringify({ decision: 'deny', reason: 'r', ...more })).outcome
    const denied = (user_message: string, agent_message: string) => ({
      answer: { permission: 'deny', user_message, agent_message },
    })
    expect(answerTo({})).toMatchObject(denied('r', 'r'))
    expect(answerTo({ user_message: 'u' })).toMatchObject(denied('u', 'r'))
    expect(answerTo({ agent_message: 'a' })).toMatchObject(denied('r', 'a'))
    expect(answerTo({ user_message: 'u', agent_message: 'a' })).toMatchObject(denied('u', 'a'))
  })

  it.each([
    '{"hookSpecificOutput":{"permissionDecision":"denied"},"permission":"ask"}',
    '{"hookSpecificOutput":{"permissionDecision":"denied"},"permission":"allow"}',
    '{"permission":"denied","decision":"approve"}',
    '{"permission":"denied","decision":"ask"}',
  ])('keeps a word that is no decision over a weaker one: %s', stdout => {
    expect(readShell(stdout).outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/bad-shape' } })
  })

  it.each([
    ['{"hookSpecificOutput":{"permissionDecision":"ask"},"permission":"allow"}', 'ask'],
    ['{"hookSpecificOutput":{"permissionDecision":"allow"},"permission":"ask"}', 'ask'],
    ['{"permission":"ask","decision":"approve"}', 'ask'],
    ['{"permission":"allow","decision":"ask"}', 'ask'],
  ])('keeps the stricter of two decisions: %s', (stdout, permission) => {
    expect(readShell(stdout).outcome).toMatchObject({ kind: 'answered', answer: { permission } })
  })

  it('does not fail on a decision where nothing can be decided', () => {
    const { outcome } = read(exitOf({ stdout: '{"permission":"denied"}' }), definition(), eventOf('stop'))
    expect(outcome).toEqual({ kind: 'answered', answer: {} })
  })

  it('takes an allow after any number of objects that are never closed', () => {
    for (const count of [20, 2000])
      expect(readShell(`${'{"'.repeat(count)}\n{"permission":"allow"}`).outcome).toMatchObject({
        answer: { permission: 'allow' },
      })
  })

  it('searches broken objects completely, however deeply they are nested', () => {
    const broken = (inside: string) => `${'{"a":'.repeat(5000)}${inside}x${'}'.repeat(5000)}`
    for (const code of [0, 1]) {
      expect(readShell(`${broken(deny)}\n{}`, { code }).outcome).toMatchObject({
        answer: { permission: 'deny' },
      })
      expect(readShell(`${broken('')}\n{}`, { code }).outcome.kind).toBe(code === 0 ? 'answered' : 'failed')
    }
  })

  it('takes no answer that is nested too deeply', () => {
    const nested = (depth: number) =>
      readShell(`{"permission":"allow","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`).outcome
    expect(nested(100)).toMatchObject({ kind: 'answered', answer: { permission: 'allow' } })
    expect(nested(101)).toMatchObject({ kind: 'failed', failure: { code: 'run/invalid-json' } })
    expect(nested(200_000)).toMatchObject({ kind: 'failed', failure: { code: 'run/invalid-json' } })
    const inOneAnother = `${'{"hookSpecificOutput":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    expect(readShell(inOneAnother).outcome).toMatchObject({ failure: { code: 'run/invalid-json' } })
  })

  it('wants an answer where failClosed is set', () => {
    expect(readShell('').outcome.kind).toBe('silent')
    const strict = read(exitOf(), definition({ failClosed: true }), shell)
    expect(strict.outcome).toMatchObject({ kind: 'failed', failure: { code: 'run/no-answer' } })
  })

  it('keeps follow-ups within the limit of the script', () => {
    const stop = (loop_count: number, loopLimit: number | null) =>
      read(
        exitOf({ stdout: '{"followup_message":"go on"}' }),
        definition({ loopLimit }),
        eventOf('stop', { loop_count }),
      )
    expect(stop(4, 5).outcome).toMatchObject({ answer: { followup_message: 'go on' } })
    expect(stop(5, 5).outcome).toMatchObject({ kind: 'answered', answer: {} })
    expect(stop(5, 5).notes.map(note => note.code)).toEqual(['note/loop-limit'])
    expect(stop(500, null).outcome).toMatchObject({ answer: { followup_message: 'go on' } })
  })

  it('keeps the stricter value of a decision that is repeated', () => {
    const repeated = (first: string, second: string) =>
      readShell(`{"permission":${first},"permission":${second}}`).outcome
    for (const [first, second] of [
      ['"ask"', '"allow"'],
      ['"allow"', '"ask"'],
    ] as const)
      expect(repeated(first, second)).toMatchObject({ answer: { permission: 'ask' } })
    for (const [first, second] of [
      ['"denied"', '"allow"'],
      ['"allow"', '"denied"'],
    ] as const)
      expect(repeated(first, second)).toMatchObject({ failure: { code: 'run/bad-shape' } })
    expect(repeated('"allow"', '"allow"')).toEqual({ kind: 'answered', answer: { permission: 'allow' } })
  })

  it('takes no response with very many fields that are not known', () => {
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`permissivo${i}`, 1]))
    expect(readShell(JSON.stringify(fields)).outcome).toMatchObject({ failure: { code: 'run/bad-shape' } })
  })

  it('refuses variables with fixed or impossible names', () => {
    const stdout = '{"env":{"GOOD":"1","cursor_version":"9","A=B":"x","":"y"}}'
    const { outcome, notes } = read(exitOf({ stdout }), definition(), eventOf('sessionStart'))
    expect(outcome).toMatchObject({ answer: { env: { GOOD: '1' } } })
    expect(notes).toMatchObject([{ code: 'note/env-refused' }])
  })
})

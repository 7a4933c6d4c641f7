import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definition, eventOf, exitOf } from '../../../../tests/fixtures/definition.js'
import { findAnswer } from './find-objects.js'
import { read } from './read.js'

const shell = eventOf('beforeShellExecution')
const readShell = (stdout: string, over = {}) => read(exitOf({ stdout, ...over }), definition(), shell)
const deny = '{"permission":"deny","user_message":"no"}'

describe('finding the answer on stdout', () => {
  it('takes the object that ends stdout, after any text', () => {
    expect(findAnswer('log line\n{"a":1}\n').last).toEqual({ a: 1 })
    expect(findAnswer('{"a":{"b":"}"}}').last).toEqual({ a: { b: '}' } })
    expect(findAnswer('it\'s "a { b\n{"a":1}').last).toEqual({ a: 1 })
    expect(findAnswer('{ not json } {"a":1}').last).toEqual({ a: 1 })
    expect(findAnswer('{"a":1} trailing').last).toBeUndefined()
    expect(findAnswer('[{"a":1}]').last).toBeUndefined()
    expect(findAnswer('\uFEFF{"a":1}').last).toEqual({ a: 1 })
    expect(findAnswer(' \n\t').empty).toBe(true)
  })

  it('is bounded on hostile text', () => {
    // Of the processor: what others do meanwhile does not count.
    const began = process.cpuUsage()
    findAnswer('{'.repeat(200_000))
    findAnswer('{"a":'.repeat(40_000))
    findAnswer(`${'{"'.repeat(60_000)}{"permission":"deny"}`)
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(2_000)
  })

  it('is total over any text, and always finds an answer that stands on the last line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (noise, answer) => {
          const text = JSON.stringify(answer)
          const found = findAnswer(`${noise}\n${text}`)
          expect(JSON.stringify(found.last)).toBe(text)
        },
      ),
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
    ['as continue, said twice', '{"continue":false,"continue":true}', {}],
    ['as a decision, said twice', '{"decision":"block","decision":"approve"}', {}],
    [
      'nested, said twice',
      '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecision":"allow"}}',
      {},
    ],
    ['nested', '{"hookSpecificOutput":{"permissionDecision":"deny"},"permission":"allow"}', {}],
  ])('%s', (_, stdout, over) => {
    const { outcome } = readShell(stdout, over)
    expect(outcome).toMatchObject({ kind: 'answered', answer: { permission: 'deny' } })
  })

  it('but is not made up of what stands twice elsewhere', () => {
    const other = '{"permissionDecision":"deny"}'
    const { outcome } = readShell(`{"hookSpecificOutput":{},"first":${other},"second":${other}}`)
    expect(outcome).toEqual({ kind: 'answered', answer: {} })
  })

  it('over any noise, exit code and cause', () => {
    const noise = fc.string({ unit: 'binary' }).map(text => text.replaceAll('"', ' ').replaceAll('{', ' '))
    const failure = fc.constantFrom(undefined, 'run/timeout', 'run/overflow', 'run/signal', 'run/exit')
    fc.assert(
      fc.property(noise, noise, fc.integer({ min: 0, max: 255 }), failure, (before, after, code, cause) => {
        const over = cause ? { code: null, failure: { code: cause, message: '' } } : { code }
        const { outcome } = readShell(`${before}\n${deny}\n${after}`, over)
        expect(outcome).toMatchObject({ kind: 'answered', answer: { permission: 'deny' } })
      }),
    )
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

  it('takes no allow from a text that could not be searched to its end', () => {
    const allow = '{"permission":"allow"}'
    expect(readShell(`${'{"'.repeat(20)}\n${allow}`).outcome).toMatchObject({
      answer: { permission: 'allow' },
    })
    expect(readShell(`${'{"'.repeat(2000)}\n${allow}`).outcome).toMatchObject({
      kind: 'failed',
      failure: { code: 'run/invalid-json' },
    })
  })

  it('takes no answer that is nested too deeply', () => {
    const nested = (depth: number) =>
      readShell(`{"permission":"allow","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`).outcome
    expect(nested(200)).toMatchObject({ kind: 'answered', answer: { permission: 'allow' } })
    expect(nested(201)).toMatchObject({ kind: 'failed', failure: { code: 'run/invalid-json' } })
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

  it('refuses variables with fixed or impossible names', () => {
    const stdout = '{"env":{"GOOD":"1","cursor_version":"9","A=B":"x","":"y"}}'
    const { outcome, notes } = read(exitOf({ stdout }), definition(), eventOf('sessionStart'))
    expect(outcome).toMatchObject({ answer: { env: { GOOD: '1' } } })
    expect(notes).toHaveLength(3)
  })
})

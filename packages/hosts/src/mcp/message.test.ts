import { describe, expect, it } from 'vitest'
import { isAnswer, isRequest, keyOf, type Message, mayHoldCall, readLine } from './message.js'

describe('text that is not JSON', () => {
  it.each([
    '{"method":"tools/call",}',
    '{"method":"tools\\/call",}',
    '{"method":"tools\\u002fcall",}',
    '{"method":"tools\\u002Fcall",}',
    '{"method":"\\u0074ools\\/\\u0063all",}',
    "{'method':'tools/call'}",
    'tools/call',
  ])('%s may hold a tool call', text => expect(mayHoldCall(text)).toBe(true))

  it.each(['', '{"method":"tools/list",}', '{"method":"tools/ call"', 'tools\\\\call', '{"a":"\\u00"}'])(
    '%s holds none',
    text => expect(mayHoldCall(text)).toBe(false),
  )
})

describe('a line', () => {
  it.each([
    ['{"id":1}', 'one'],
    [' \t{"id":1} \r\n', 'one'],
    ['[]', 'batch'],
    ['[{"id":1},2]', 'batch'],
    ['1', 'other'],
    ['null', 'other'],
    ['"tools/call"', 'other'],
    ['', 'unreadable'],
    ['{"id":1}{"id":2}', 'unreadable'],
    ['\ufeff{"id":1}', 'unreadable'],
  ])('%j is read as %s', (text, kind) => expect(readLine(text).kind).toBe(kind))

  it.each(['id', 'method', 'params', 'result', 'error'])('with "%s" twice is ambiguous', key => {
    const escaped = `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}`
    for (const twice of [`{"${key}":1,"a":2,"${key}":1}`, `{"${key}":1,"${escaped}":2}`]) {
      expect(readLine(twice).kind).toBe('ambiguous')
      expect(readLine(`[{"id":1},${twice}]`).kind).toBe('ambiguous')
    }
  })

  it('with a part that decides nothing twice is one message', () => {
    expect(readLine('{"id":1,"x":1,"x":2}').kind).toBe('one')
    expect(readLine('{"id":1,"toString":1,"toString":2}').kind).toBe('one')
  })
})

const messageOf = (text: string): Message => {
  const line = readLine(text)
  if (line.kind !== 'one') throw new Error(`${text} is ${line.kind}`)
  return line.message
}

it.each([
  ['{"id":1,"method":"ping"}', true, false],
  ['{"id":"","method":"ping"}', true, false],
  ['{"id":null,"method":"ping"}', false, false],
  ['{"method":"ping"}', false, false],
  ['{"id":1}', false, true],
  ['{"id":1,"method":5}', false, true],
  ['{}', false, false],
])('%s is a request: %s, an answer: %s', (text, request, answer) => {
  const message = messageOf(text)
  expect([isRequest(message), isAnswer(message)]).toEqual([request, answer])
})

it.each([
  ['1', '1.0', true],
  ['1', '10e-1', true],
  ['"a"', '"\\u0061"', true],
  ['1', '"1"', false],
  ['12345678901234567890', '12345678901234567891', false],
  ['null', '"null"', false],
  ['1.5', '1.50', false],
])('the ids %s and %s are one: %s', (one, other, isOne) => expect(keyOf(one) === keyOf(other)).toBe(isOne))

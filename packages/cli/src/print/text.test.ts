import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../../tests/cpu-time.js'
import { layoutWidth, lines, oneLine, shorten, visible, width, wrap } from './text.js'

describe('text of others', () => {
  it('shows what would hide, on one line', () => {
    expect(visible('a\nb\r\tc\x1b[2J\u202e\u200b')).toBe('a\\nb\\r\\tc\\e[2J\\u{202e}\\u{200b}')
    expect(visible('\x9b31m\x7f')).toBe('\\u{9b}31m\\u{7f}')
    expect(visible('naïve 日本 👍🏽')).toBe('naïve 日本 👍🏽')
  })

  it('leaves terminal sequences out of messages and keeps their lines', () => {
    expect(lines('\x1b[1;31mred\x1b[0m\r\n\x1b]0;title\x07two\rthree')).toEqual(['red', 'two', 'three'])
    expect(oneLine('  a \n\n\x1b[2Kb ')).toBe('a b')
    expect(lines('\x1bPpayload\x1b\\x')).toEqual(['x'])
  })

  it('never lets a control character through', () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('')
    const control = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/
    expect(visible(all)).not.toMatch(control)
    for (const line of lines(all)) expect(line).not.toMatch(control)
    for (const text of ['\x1b', '\x1b[', '\x1b]0;', '\x1bP', '\x1b[31'])
      expect(oneLine(text)).not.toMatch(control)
  })

  it('reads hostile text with bounded work', () => {
    const work = cpuMs(() => {
      for (const piece of ['\x1b[', '\x1b]', '\x1bP', '\x1b[0;', '\x1b \x1b']) lines(piece.repeat(30_000))
    })
    expect(work).toBeLessThan(10_000)
  })
})

describe('columns', () => {
  it('counts cells, not characters', () => {
    expect(width('abc')).toBe(3)
    expect(width('日本')).toBe(4)
    expect(width('e\u0301')).toBe(1)
    expect(width('👍🏽👨‍👩‍👧')).toBe(4)
    expect(shorten('👍🏽👍🏽👍🏽', 4)).toBe('👍🏽…')
  })

  it('shortens to fit and says so', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef')
    expect(shorten('abcdef', 4)).toBe('abc…')
    expect(width(shorten('日本語日本語', 5))).toBeLessThanOrEqual(5)
  })

  it('breaks at spaces and leaves long words whole', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('a /very/long/path b', 5)).toEqual(['a', '/very/long/path', 'b'])
    expect(wrap('', 5)).toEqual([''])
  })

  it('breaks lines at the same places however long a measured time is', () => {
    for (const time of ['<1 ms', '9 ms', '10 ms', '999 ms', '1.5 s', '59.9 s']) {
      expect(wrap(`silent, ${time} ok`, 14)).toEqual([`silent, ${time}`, 'ok'])
      expect(wrap(`silent, ${time} ok`, 13)).toEqual(['silent,', `${time} ok`])
      expect(layoutWidth(`silent, ${time}`)).toBe(14)
    }
  })
})

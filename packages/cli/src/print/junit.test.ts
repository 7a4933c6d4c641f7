// Whatever the cases are called and the hooks say, the file is XML that every reader takes.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FileResult } from '../test/suite.js'
import { junit } from './junit.js'

const result = (name: string, got: string, message: string): FileResult => ({
  file: `/shop/${name}`,
  hooks: '/shop/hooks.json',
  left: 0,
  problems: [{ line: 1, column: 2, message }],
  cases: [
    {
      outcome: 'failed',
      test: {
        name,
        line: 3,
        column: 1,
        profiles: undefined,
        setting: { env: {}, files: new Map(), model: undefined },
        about: [],
        isSession: false,
        steps: [],
      },
      attempts: [
        {
          profile: 'holdfast',
          outcome: 'failed',
          reason: null,
          steps: [{ line: 3, what: got, seen: null, mismatches: [{ what: name, expected: got, got }] }],
          durationMs: 12.3,
          issues: [],
          tidy: text => text,
        },
        {
          profile: 'cursor-3',
          outcome: 'skipped',
          reason: got,
          steps: [],
          durationMs: 0,
          issues: [],
          tidy: text => text,
        },
      ],
    },
  ],
})

const TAG = /<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>/y
const REFERENCE = /&(?!(?:amp|lt|gt|quot|#\d+);)/

/** The rules of XML 1.0, as far as this file uses it. */
function isWellFormed(xml: string): boolean {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml) || REFERENCE.test(xml))
    return false
  const open: string[] = []
  let at = xml.indexOf('?>') + 2
  while (at < xml.length) {
    const next = xml.indexOf('<', at)
    if (next === -1) return open.length === 0 && xml.slice(at).trim() === ''
    TAG.lastIndex = next
    const [tag, closes, name, , isEmpty] = TAG.exec(xml) ?? []
    if (tag === undefined) return false
    if (closes && open.pop() !== name) return false
    if (!closes && !isEmpty) open.push(name!)
    at = next + tag.length
  }
  return open.length === 0
}

describe('JUnit', () => {
  const hostile = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.nat(0xffff).map(code => String.fromCharCode(code)) }),
    fc.constantFrom(
      '<',
      '>',
      '&',
      '"',
      "'",
      ']]>',
      '<!--',
      '\0',
      '\x1b[31m',
      '\ud800',
      '\ufffe',
      '&#0;',
      '\n\t',
    ),
  )

  it('is well-formed', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (name, got, message) => {
        expect(isWellFormed(junit([result(name, got, message)], '/shop'))).toBe(true)
      }),
    )
  })

  it('says how many, and of what', () => {
    const xml = junit([result('a', 'b', 'c')], '/shop')
    expect(xml).toContain('<testsuite name="a" tests="3" failures="1" errors="1" skipped="1" time="0.012">')
    expect(xml).toContain('<testcase name="a (holdfast)" classname="a" file="a" line="3" time="0.012">')
    expect(xml).toContain('<failure message="a: expected b, got b">')
    expect(xml).toContain('<skipped message="cursor-3 b"/>')
    expect(xml).toContain('<error message="c"/>')
  })

  it('is not taken for well-formed when it is not', () => {
    for (const xml of ['<a>', '<a></b>', '<a b="<"/>', '<a>&</a>', '<a>\0</a>'])
      expect(isWellFormed(`<?xml?>${xml}`)).toBe(false)
  })
})

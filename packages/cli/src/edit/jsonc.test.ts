import * as fc from 'fast-check'
import { getNodeValue, parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { diffOf } from './diff.js'
import {
  addFirst,
  addItems,
  addMembers,
  applied,
  type Document,
  isProblem,
  nodeAt,
  openDocument,
} from './jsonc.js'
import { commentsOf, written } from './testing/written.js'

const open = (text: string): Document => {
  const document = openDocument(text)
  if (isProblem(document)) throw new Error(document.message)
  return document
}

const withStop = (text: string, entry: unknown = { command: 'b' }) => {
  const document = open(text)
  const list = nodeAt(document, ['hooks', 'stop'])
  const hooks = nodeAt(document, ['hooks'])
  const edits = list
    ? addItems(document, list, [entry])
    : hooks
      ? addMembers(document, hooks, [['stop', [entry]]])
      : addMembers(document, document.root, [['hooks', { stop: [entry] }]])
  return { text: applied(text, edits), edits, document }
}

describe('what is added', () => {
  it.each([
    [
      'to a list on lines',
      '{\n  "hooks": {\n    "stop": [\n      { "command": "a" }\n    ]\n  }\n}\n',
      '      { "command": "a" },\n      { "command": "b" }\n    ]',
    ],
    [
      'behind a comment of its neighbour',
      '{ "hooks": { "stop": [\n  { "command": "a" } // mine\n  // end\n] } }',
      '{ "command": "a" }, // mine\n  // end\n  { "command": "b" }\n]',
    ],
    [
      'to a list in one line',
      '{"hooks":{"stop":[{"command":"a"}]}}',
      '{"hooks":{"stop":[{"command":"a"}, { "command": "b" }]}}',
    ],
    [
      'behind a trailing comma',
      '{\n"hooks": { "stop": [ { "command": "a" }, ] } }',
      '[ { "command": "a" }, { "command": "b" } ]',
    ],
    [
      'behind a comma that a comment follows',
      '{ "hooks": { "stop": [{ "command": "a" } /* x */, /* y */ ] } }',
      '[{ "command": "a" } /* x */, /* y */ { "command": "b" } ]',
    ],
    [
      'to an empty list',
      '{\n  "hooks": {\n    "stop": []\n  }\n}',
      '"stop": [\n      { "command": "b" }\n    ]',
    ],
    [
      'to a list that holds only a comment',
      '{ "hooks": { "stop": [ /* none */ ] } }',
      '[ /* none */ { "command": "b" } ]',
    ],
    [
      'with tabs',
      '{\n\t"hooks": {\n\t}\n}',
      '\t"hooks": {\n\t\t"stop": [\n\t\t\t{ "command": "b" }\n\t\t]\n\t}',
    ],
    [
      'with the line ends of the file',
      '{\r\n  "hooks": {}\r\n}\r\n',
      '"hooks": {\r\n    "stop": [\r\n      { "command": "b" }\r\n    ]\r\n  }\r\n}\r\n',
    ],
    ['with old line ends', '{ "hooks": { "stop": [ // x\r] } }', '[ // x\r  { "command": "b" }\r] } }'],
    [
      'to an empty file of hooks',
      '{}',
      '{\n  "hooks": {\n    "stop": [\n      { "command": "b" }\n    ]\n  }\n}',
    ],
    [
      'behind a mark of byte order',
      '\uFEFF{ "hooks": {} }',
      '\uFEFF{ "hooks": { "stop": [{ "command": "b" }] } }',
    ],
  ])('%s', (_, text, part) => {
    const result = withStop(text).text
    expect(result).toContain(part)
    expect(result.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'))
  })

  it('goes before the others, and comments keep their neighbours', () => {
    const first = (text: string) => {
      const document = open(text)
      return applied(text, addFirst(document, document.root, '$schema', 'x'))
    }
    expect(first('{\n  // of the file\n  "version": 1\n}')).toBe(
      '{\n  "$schema": "x",\n  // of the file\n  "version": 1\n}',
    )
    expect(first('{ // all\n  "version": 1\n}')).toBe('{ // all\n  "$schema": "x",\n  "version": 1\n}')
    expect(first('{"version":1}')).toBe('{"$schema": "x", "version":1}')
    expect(first('{ /* a\n b */ "version": 1 }')).toBe('{ /* a\n b */ "$schema": "x", "version": 1 }')
    expect(first('{}')).toBe('{\n  "$schema": "x"\n}')
  })

  it('says where a text is not JSON', () => {
    expect(openDocument('{\n  "a" 1\n}')).toEqual({ line: 2, column: 7, message: 'colon expected' })
    expect(openDocument('')).toMatchObject({ line: 1, column: 1 })
    expect(openDocument('// only words\n')).toHaveProperty('message')
  })
})

describe('any text', () => {
  it('keeps its entries, its comments and their order, and every line that nothing was added to', () => {
    fc.assert(
      fc.property(written(), ({ text, value }) => {
        const { text: after, edits, document } = withStop(text)
        const result = open(after)
        const hooks = (value.hooks ?? {}) as Record<string, unknown[]>
        expect(getNodeValue(result.root)).toEqual({
          ...value,
          hooks: { ...hooks, stop: [...(hooks.stop ?? []), { command: 'b' }] },
        })
        expect(commentsOf(after)).toEqual(commentsOf(text))
        // Only additions: the old text is what is left when the new parts are taken out.
        expect(
          edits.every(({ length, offset }) => document.text.slice(offset, offset + length).trim() === ''),
        ).toBe(true)
        const squeezed = (one: string) => one.replace(/\s/g, '')
        const now = squeezed(after)
        let at = 0
        for (const letter of squeezed(text)) at = now.indexOf(letter, at) + 1 || Number.POSITIVE_INFINITY
        expect(at).toBeLessThanOrEqual(now.length)
      }),
      { numRuns: randomRuns(600) },
    )
  })

  it('shows in its diff what changes, and nothing else', () => {
    fc.assert(
      fc.property(written(), ({ text }) => {
        const { text: after, edits, document } = withStop(text)
        const diff = diffOf(document.text, edits)
        const lines = (all: string) =>
          all
            .replace(/^\uFEFF/, '')
            .split('\n')
            .map(line => line.replace(/\r$/, ''))
        const old = lines(text)
        const now = lines(after)
        for (const { mark, text: line } of diff) {
          if (mark !== '+') expect(old).toContain(line)
          if (mark !== '-') expect(now).toContain(line)
        }
        const added = diff.filter(({ mark }) => mark === '+').length
        const gone = diff.filter(({ mark }) => mark === '-').length
        expect(now.length - old.length).toBe(added - gone)
        expect(added).toBeGreaterThan(0)
      }),
      { numRuns: randomRuns(300) },
    )
  })

  it('can be added to first', () => {
    fc.assert(
      fc.property(written(), ({ text, value }) => {
        const document = open(text)
        const after = applied(text, addFirst(document, document.root, '$schema', './x'))
        expect(Object.entries(parse(after.replace(/^\uFEFF/, '')) as object)).toEqual([
          ['$schema', './x'],
          ...Object.entries(value),
        ])
        expect(commentsOf(after)).toEqual(commentsOf(text))
      }),
      { numRuns: randomRuns(300) },
    )
  })
})

// Compares the manifest reader with the yaml package: it must read the same values, and reject what it is not certain
// about.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Document, parseAllDocuments, Scalar, visit } from 'yaml'
import { anyText } from '../../tests/any-text.js'
import { python3 } from '../../tests/python/python3.js'
import { runsEverything } from '../../tests/scope.js'

const hooks = fileURLToPath(new URL('.cursor/hooks', import.meta.url))
const hasPython = python3 !== undefined
const SIZE = Number(process.env.KUBE_GUARD_RUNS ?? (runsEverything ? 400 : 120))

type Read = { values: unknown[] } | { refused: string }

/** Reads all texts in one process. With `plainly`, words stay as written. */
function readAll(texts: readonly string[], plainly = false): Read[] {
  const program = `
import json, sys
sys.path.insert(0, ${JSON.stringify(hooks)})
from kube import manifest, yaml_scalars
${plainly ? 'yaml_scalars.Scalars.resolved = staticmethod(lambda text: text)' : ''}
def read(text):
    try:
        return {"values": manifest.read_manifest(text)}
    except manifest.Refused as why:
        return {"refused": str(why)}
print(json.dumps([read(text) for text in json.load(sys.stdin)]))
`
  const { stdout, stderr } = spawnSync(python3!, ['-I', '-S', '-B', '-c', program], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 1e9,
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

/** Without a schema, no value is an empty text. */
const asWritten = (values: unknown[]) =>
  JSON.parse(JSON.stringify(values), (_, value) => (value === null ? '' : value)).filter(
    (value: unknown) => value !== '',
  )

const word = fc.stringMatching(/^[a-z][a-zA-Z0-9./-]{0,12}$/)
const key = fc.oneof({ weight: 4, arbitrary: word }, fc.string({ minLength: 1, maxLength: 12 }))
const text = fc.oneof(
  word,
  fc.string({ maxLength: 30 }),
  anyText({ maxLength: 12 }).map(s => s.replace(/[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g, '')),
  fc.constantFrom(
    'yes',
    'null',
    '~',
    '010',
    '1e3',
    '- a',
    'a: b',
    '# a',
    ' a',
    'a ',
    '',
    '---',
    '...',
    '<<',
    '*a',
    '&a',
  ),
  fc
    .array(fc.constantFrom('a', 'some words', '', '  further', ' ', '# x', '- y', 'k: v', '\tt'), {
      maxLength: 6,
    })
    .map(rows => rows.join('\n')),
  fc.array(word, { minLength: 20, maxLength: 40 }).map(words => words.join(' ')),
)
const scalar = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(0.5, -2.25, 1e21),
)
const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(
      key.filter(name => name !== '<<' && name !== '__proto__'),
      tie('tree'),
      { maxKeys: 4 },
    ),
  ),
}))
const manifest = fc.record({
  apiVersion: fc.constantFrom('v1', 'apps/v1'),
  kind: fc.constantFrom('Pod', 'List', 'Deployment'),
  metadata: fc.record({ name: word, labels: fc.dictionary(word, text, { maxKeys: 3 }) }),
  spec: tree,
})
const style = fc.record({
  indent: fc.integer({ min: 2, max: 6 }),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 80, 100),
  collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
  defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
  blockQuote: fc.constantFrom(true, false, 'folded' as const, 'literal' as const),
  comments: fc.boolean(),
  flowPadding: fc.boolean(),
})

const printed = fc.tuple(fc.array(manifest, { minLength: 1, maxLength: 3 }), style).map(([values, style]) => {
  const { comments, flowPadding, defaultStringType, ...options } = style
  const texts = values.map(value => {
    const document = new Document(value)
    if (comments) {
      document.commentBefore = ' before'
      visit(document, {
        Pair: (_, pair) => {
          if (pair.key instanceof Scalar) pair.key.commentBefore = ' a remark: with - signs'
        },
      })
    }
    return document.toString({
      ...options,
      defaultStringType,
      defaultKeyType: 'PLAIN',
      flowCollectionPadding: flowPadding,
      simpleKeys: true,
    })
  })
  return {
    values,
    text: `${comments ? '# first\n---\n' : ''}${texts.join(comments ? '...\n---\n' : '---\n')}`,
  }
})

describe.skipIf(!hasPython)('the reader of manifests', () => {
  test('reads what yaml prints', { timeout: 120_000 }, () => {
    const cases = fc.sample(printed, SIZE)
    const results = readAll(cases.map(({ text }) => text))
    // Values are not compared: with some indents yaml itself reads other spaces than it was given.
    for (const [index, { text }] of cases.entries()) {
      const result = results[index]!
      // A block text that begins with a tab; kubectl rejects it too.
      if (text.includes('\t') && 'refused' in result && result.refused.endsWith('has a tab')) continue
      if ('refused' in result) throw new Error(`${result.refused}: ${text}`)
      expect(result, text).toEqual({ values: parseAllDocuments(text).map(document => document.toJS()) })
    }
  })

  test('reads JSON, also several texts in a row', () => {
    const values = fc.sample(manifest, 50)
    const texts = [
      ...values.map(value => JSON.stringify(value, null, 2)),
      values.map(value => JSON.stringify(value)).join(''),
    ]
    const results = readAll(texts)
    expect(results.at(-1)).toEqual({ values })
    for (const [index, value] of values.entries()) expect(results[index]).toEqual({ values: [value] })
  })

  // The other direction: the reader rejects a text, or reads the same value as yaml.
  test('never guesses', { timeout: 120_000 }, () => {
    const signs = ' \n:-#|>"\'{}[],&*!?%@`~\\\t.a1'
      .split('')
      .concat('---', ': ', '- ', '\n  ', ' #', '|-', '>+2', '<<: ')
    const change = fc.tuple(fc.nat(), fc.constantFrom(...signs), fc.nat({ max: 3 }))
    const spoiled = fc
      .tuple(printed, fc.array(change, { minLength: 1, maxLength: 4 }))
      .map(([{ text }, changes]) =>
        changes.reduce((text, [at, sign, drop]) => {
          const place = at % (text.length + 1)
          return text.slice(0, place) + sign + text.slice(place + drop)
        }, text),
      )
    const soup = fc
      .array(fc.constantFrom(...signs, 'key', 'key: ', '\n', '\n'), { maxLength: 25 })
      .map(parts => parts.join(''))
    const texts = fc.sample(fc.oneof(spoiled, soup), SIZE * 3)
    const results = readAll(texts, true)
    let accepted = 0
    for (const [index, result] of results.entries()) {
      const text = texts[index]!
      // kubectl reads consecutive JSON objects; yaml does not.
      if ('refused' in result || /^\s*\{.*\}\s*\{/s.test(text)) continue
      accepted++
      const documents = parseAllDocuments(text, { schema: 'failsafe' })
      if (!Array.isArray(documents)) continue
      const isFine = documents.every(({ errors, warnings }) => errors.length + warnings.length === 0)
      const values = documents
        .map(document => document.toJS())
        .filter(value => value !== null && value !== '')
      expect({ text, isFine, values }).toEqual({ text, isFine: true, values: asWritten(result.values) })
    }
    expect(accepted).toBeGreaterThan(texts.length / 20)
  })

  const REFUSED: [what: string, text: string, reason: RegExp][] = [
    ['an anchor', 'a: &x 1', /line 1 has an anchor/],
    ['an alias', 'a: 1\nb: *a', /line 2 has an alias/],
    ['a tag', 'a: !!str 1', /line 1 has a tag/],
    ['a merge key', 'a:\n  <<: {b: 1}', /line 2 has a merge key/],
    ['a directive', '%YAML 1.1\n---\na: 1', /line 1 has a directive/],
    ['a tab', 'a:\n\tb: 1', /line 2 has a tab/],
    ['an explicit key', '? a\n: b', /line 1 begins a value with/],
    ['a repeated key', 'a: 1\nb: 2\na: 3', /line 3 has the key 'a' a second time/],
    ['a repeated key in JSON', '{"a": 1, "a": 2}', /a key is repeated/],
    ['text behind a marker', '--- a: 1', /text behind its marker/],
    ['a marker that only some readers see', 'a: 1\n---- \nb: 2', /line 2 has text behind its marker/],
    ['a line break that only some readers see', 'a: 1\u2028b: 2', /not text/],
    ['a quotation without an end', 'a: "b', /ends inside a quoted text/],
    ['brackets without an end', '[[[', /ends inside a collection/],
    ['brackets without measure', '['.repeat(100_000), /nested too deeply/],
    ['items without measure', '- '.repeat(100_000), /nested too deeply/],
    ['text without measure', 'a'.repeat(4_000_001), /larger than 4 MB/],
  ]

  test('refuses what it does not know', () => {
    const results = readAll(REFUSED.map(([, text]) => text))
    expect(results.map((result, index) => [REFUSED[index]![0], result])).toEqual(
      REFUSED.map(([what, , reason]) => [what, { refused: expect.stringMatching(reason) }]),
    )
  })
})

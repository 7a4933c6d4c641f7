import * as fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { commentsOf, written } from '../edit/testing/written.js'
import { withSchema } from './settings.js'

const read = (text: string) => parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>

describe('the settings of an editor', () => {
  it('keep everything they had, whatever it looks like, and are changed once', () => {
    fc.assert(
      fc.property(written(), ({ text, value }) => {
        const after = withSchema('settings.json', text).text
        const { 'json.schemas': schemas, 'files.associations': associations, ...rest } = read(after)
        expect(rest).toEqual(value)
        expect(schemas).toEqual([expect.objectContaining({ url: './.cursor/hooks.schema.json' })])
        expect(associations).toEqual({ '**/.cursor/hooks.json': 'jsonc' })
        expect(commentsOf(after)).toEqual(commentsOf(text))
        expect(withSchema('settings.json', after)).toEqual({ text: after, edits: [] })
      }),
      { numRuns: 200 },
    )
  })

  it('keep a choice of the user', () => {
    const text =
      '{ "files.associations": { "**/.cursor/hooks.json": "json5" }, "json.schemas": [{ "url": "./x" }, 7] }'
    const after = read(withSchema('settings.json', text).text)
    expect(after['files.associations']).toEqual({ '**/.cursor/hooks.json': 'json5' })
    expect(after['json.schemas']).toHaveLength(3)
  })

  it('that say something twice are changed where it counts', () => {
    const text = '{ "json.schemas": [], "files.associations": {}, "json.schemas": [{ "url": "./x" }] }'
    const after = read(withSchema('settings.json', text).text)
    expect(after['json.schemas']).toEqual([
      { url: './x' },
      expect.objectContaining({ fileMatch: expect.any(Array) }),
    ])
  })

  it.each([
    ['{', /^settings\.json:1:2 is not JSON/],
    ['[]', /^settings\.json:1:1 The file is not an object/],
    ['{ "json.schemas": "x" }', /^settings\.json:1:19 "json\.schemas" is not an array/],
    ['{ "files.associations": [] }', /^settings\.json:1:25 "files\.associations" is not an object/],
  ])('that are %j are refused with their place', (text, words) => {
    expect(() => withSchema('settings.json', text)).toThrow(words)
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { complete } from './complete.js'
import type { Schema } from './schema.js'

const read = (name: string): Schema =>
  JSON.parse(readFileSync(new URL(`../../../../hooks/schema/${name}`, import.meta.url), 'utf8'))
const hooks = read('hooks.schema.json')
const shell = read('payload/beforeShellExecution.schema.json')

/** The text with | where the cursor is. */
function at(marked: string, schema = hooks) {
  const place = marked.indexOf('|')
  const text = marked.replace('|', '')
  const found = complete(text, place, schema)
  return {
    labels: found?.offers.map(offer => offer.label) ?? [],
    offers: found?.offers ?? [],
    /** What the document is after taking one. */
    take(label: string) {
      const { draft } = found!.offers.find(offer => offer.label === label)!
      return text.slice(0, found!.from) + draft.text + text.slice(found!.to)
    },
  }
}

describe('completion by the schema', () => {
  it('offers names at the top, without those that are there', () => {
    expect(at('{ | }').labels).toEqual([
      '$schema',
      'version',
      'protect_hook_files',
      'allowed_http_hosts',
      'hooks',
    ])
    expect(at('{ "version": 1, | }').labels).toEqual([
      '$schema',
      'protect_hook_files',
      'allowed_http_hosts',
      'hooks',
    ])
  })

  it('offers events with what they are', () => {
    const { offers, labels } = at('{ "hooks": { "be|" } }')
    expect(labels).toContain('beforeShellExecution')
    expect(offers.find(({ label }) => label === 'beforeShellExecution')?.info).toMatch(/shell command/i)
  })

  it('works in a document that is not finished', () => {
    expect(at('{ "hooks": { "|').labels).toContain('stop')
    expect(at('{\n  "hooks": {\n    "stop": [\n      { "|').labels).toContain('command')
    expect(at('{ "hooks": { "stop": [ { "type": |').labels).toContain('"prompt"')
    expect(at('{ "hooks": { "stop": [ { "command": "x", |').labels).toContain('timeout')
    expect(at('{ "hooks": { "stop": [ { "command": "x" "t|').labels.length).toBeGreaterThanOrEqual(0)
    expect(at('|').labels).toContain('hooks.json')
  })

  it('an open quote keeps the text after it', () => {
    expect(at('{\n  "ver|\n  "hooks": {}\n}').take('version')).toBe('{\n  "version": 1,\n  "hooks": {}\n}')
  })

  it('a name that is being typed does not hide those after it', () => {
    const { labels, take } = at('{\n  "|"\n  // Mine.\n  "version": 1,\n  "hooks": {}\n}')
    expect(labels).toEqual(['$schema', 'protect_hook_files', 'allowed_http_hosts'])
    expect(take('$schema')).toContain('"$schema": "",\n  // Mine.')
    expect(at('{ "a|": 1, "version": 1 }').labels).toEqual([
      '$schema',
      'protect_hook_files',
      'allowed_http_hosts',
      'hooks',
    ])
  })

  it('keeps a value that is already there', () => {
    expect(at('{ "ver|": 1 }').take('version')).toBe('{ "version": 1 }')
  })

  it('offers enums, booleans and snippets as values', () => {
    expect(at('{ "version": | }').labels).toEqual(['1'])
    expect(at('{ "hooks": { "preToolUse": [ { "failClosed": | } ] } }').labels.toSorted()).toEqual([
      'false',
      'true',
    ])
    const { labels, take } = at('{ "hooks": { "preToolUse": [ | ] } }')
    expect(labels).toContain('a program')
    const after = JSON.parse(take('a program'))
    expect(after.hooks.preToolUse[0].command).toBe('.cursor/hooks/no-delete.sh')
    expect(JSON.parse(take('a question to a model')).hooks.preToolUse[0].prompt).toContain('$ARGUMENTS')
  })

  it('selects what is to be typed over', () => {
    const { offers } = at('{ "hooks": { "preToolUse": [ | ] } }')
    const { draft } = offers.find(({ label }) => label === 'a program')!
    expect(draft.text.slice(...draft.select!)).toBe('no-delete')
  })

  it('leaves out what has no effect there', () => {
    expect(at('{ "hooks": { "preToolUse": [ { | } ] } }').labels).not.toContain('loop_limit')
    expect(at('{ "hooks": { "stop": [ { | } ] } }').labels).toContain('loop_limit')
  })

  it('is silent in comments', () => {
    expect(at('{ // |\n }').labels).toEqual([])
    expect(at('{ /* | */ }').labels).toEqual([])
    expect(at('{ /* a */ | }').labels).toContain('hooks')
  })

  it('knows payloads', () => {
    expect(at('{ "|" }', shell).labels).toEqual(expect.arrayContaining(['command', 'cwd', 'sandbox']))
    expect(at('{ "hook_event_name": | }', shell).labels).toEqual(['"beforeShellExecution"'])
    expect(at('{ "sandbox": | }', shell).labels.toSorted()).toEqual(['false', 'true'])
  })

  it('does not mind garbage, or schemas that refer to themselves', () => {
    const circle: Schema = {
      $ref: '#/definitions/a',
      definitions: { a: { anyOf: [{ $ref: '#/definitions/a' }] } },
    }
    expect(at('{ | }', circle).labels).toEqual([])
    for (const text of ['}|{', '[[[|', '"|', '\u0000|', ',,,|', '{"a":{"a":|}}'])
      expect(() => at(text)).not.toThrow()
  })
})

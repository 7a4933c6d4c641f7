// The schemas match the engine: what it sends, accepts and rejects.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, describe, expect, it } from 'vitest'
import { openReport } from '../../packages/hooks/src/config/report.js'
import { loadHooksFile } from '../../packages/hooks/src/discover/hooks-file.js'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { SCHEMA_FOLDER, schemas } from '../../scripts/generate/schemas.js'
import { root } from '../architecture/source.js'
import { problems } from './json-schema.js'

const files = schemas()
const schema = (path: string) =>
  JSON.parse(files.get(`${SCHEMA_FOLDER}/${path}.schema.json`)!) as Record<string, unknown>

describe('schemas', () => {
  it.each([...files.keys()])('%s accepts its own examples', path => {
    const it = JSON.parse(files.get(path)!) as Record<string, unknown>
    expect(it.$id).toBe(path.replace(SCHEMA_FOLDER, 'https://holdfast.dev/schema'))
    expect(it.$schema).toBe('http://json-schema.org/draft-07/schema#')
    expect(it.title).toBeTruthy()
    expect(it.description).toBeTruthy()
    const examples = it.examples as unknown[]
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect(problems(it, example)).toEqual([])
  })

  it.each(EVENT_SPECS)('the payload of $name needs what is always sent', spec => {
    const payload = schema(`payload/${spec.name}`)
    const sample = samplePayload(spec.name)
    for (const field of payload.required as string[]) {
      const { [field]: _, ...rest } = sample
      expect(problems(payload, rest)).toEqual([`the value has no ${field}`])
    }
    expect(problems(payload, { ...sample, something_new: 1 })).toEqual([])
    expect(problems(payload, { ...sample, hook_event_name: 'other' })).toHaveLength(1)
  })

  const words: unknown[] = [
    'allow',
    'ask',
    'deny',
    'denied',
    '',
    true,
    0,
    null,
    {},
    { A: 'b' },
    { A: 1 },
    ['/a'],
    [1],
  ]
  const fields = EVENT_SPECS.flatMap(spec => Object.keys(spec.answer).map(field => ({ spec, field })))

  const takesTheSame = (spec: EventSpec, field: string) => {
    const rule = spec.answer[field as keyof EventSpec['answer']]!
    for (const word of words) {
      const isFine = problems(schema(`answer/${spec.name}`), { [field]: word }).length === 0
      expect(`${JSON.stringify(word)} ${isFine}`).toBe(`${JSON.stringify(word)} ${v.is(rule.schema, word)}`)
    }
  }

  for (const { spec, field } of fields) {
    it(`the answer of ${spec.name} takes the same ${field} as the engine`, () => takesTheSame(spec, field))
  }
})

describe('hooks.schema.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-schema-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const issuesOf = async (value: unknown) => {
    const file = join(folder, 'hooks.json')
    writeFileSync(file, JSON.stringify(value))
    const report = openReport('project', file)
    await loadHooksFile(file, report)
    return report.issues.map(({ path, message }) => `${path} ${message}`)
  }

  const entry = (fields: object, event = 'stop') => ({ version: 1, hooks: { [event]: [fields] } })

  it.each([
    { version: 1, hooks: {} },
    { hooks: { stop: [] } },
    { $schema: 'x', version: 1, hooks: { stop: [{ command: 'a' }] } },
    entry({ command: 'a', type: 'command', timeout: 0.5, loop_limit: null, matcher: '' }),
    entry({ command: 'a', loop_limit: 0 }),
    entry({ type: 'prompt', prompt: 'Fine?', model: 'm' }),
    entry({ command: 'a', failClosed: true }, 'beforeReadFile'),
    ...EVENT_SPECS.map(({ name }) => entry({ command: 'a' }, name)),
  ])('and the engine accept %j', async value => {
    expect(await issuesOf(value)).toEqual([])
    expect(problems(schema('hooks'), value)).toEqual([])
  })

  it.each([
    [],
    {},
    { version: 2, hooks: {} },
    { version: '1', hooks: {} },
    { version: 1, hooks: [] },
    { version: 1, hooks: {}, hook: {} },
    { version: 1, hooks: { stopp: [] } },
    { version: 1, hooks: { stop: {} } },
    { version: 1, hooks: { stop: ['a'] } },
    entry({}),
    entry({ command: '' }),
    entry({ command: ' ' }),
    entry({ command: ['a'] }),
    entry({ prompt: 'Fine?' }),
    entry({ type: 'prompt', command: 1 }),
    entry({ type: 'prompt' }),
    entry({ type: 'http', command: 'a' }),
    entry({ command: 'a', timeout: 0 }),
    entry({ command: 'a', timeout: '5' }),
    entry({ command: 'a', loop_limit: 1.5 }),
    entry({ command: 'a', loop_limit: -1 }),
    entry({ command: 'a', matcher: {} }),
    entry({ command: 'a', fail_closed: true }),
    entry({ command: 'a', failClosed: 'yes' }, 'beforeReadFile'),
    entry({ command: 'a', failClosed: true }),
    entry({ command: 'a', loop_limit: 1 }, 'preToolUse'),
    entry({ command: 'a', matcher: 'x' }, 'workspaceOpen'),
    entry({ matcher: 'Shell', hooks: [{ type: 'command', command: 'a' }] }, 'preToolUse'),
  ])('and the engine complain about %j', async value => {
    expect(await issuesOf(value)).not.toEqual([])
    expect(problems(schema('hooks'), value)).not.toEqual([])
  })
})

describe('hooks.schema.json in an editor', () => {
  const hooks = schema('hooks')
  const events = (hooks.properties as Record<string, { properties: Record<string, Record<string, unknown>> }>)
    .hooks!.properties
  const definitions = hooks.definitions as Record<string, Record<string, unknown>>
  const entryFields = ['command', 'type', 'prompt', 'model', 'timeout', 'loop_limit', 'matcher', 'failClosed']

  /** A snippet as an editor leaves it without typing: each place contains its default. */
  const filledIn = (body: unknown): unknown =>
    JSON.parse(
      JSON.stringify(body)
        .replace(/\$\{\d+:([^}]*)\}/g, '$1')
        .replaceAll('\\\\$', '$'),
    )

  it.each(EVENT_SPECS)('tells what $name is', spec => {
    const { markdownDescription, description } = events[spec.name] as Record<string, string>
    for (const text of [markdownDescription!, description!]) {
      expect(text).toContain(spec.summary)
      expect(text).toContain(spec.isOurs ? 'Not an event of Cursor.' : `Since version ${spec.since}.`)
      for (const field of Object.keys(spec.answer)) expect(text).toContain(field)
    }
    expect(description).not.toContain('`')
    expect(markdownDescription).toContain(spec.subject.doc)
    expect(markdownDescription).toContain(spec.gate === 'none' ? 'cannot stop' : 'can stop')
    if (spec.ask !== 'none') expect(markdownDescription).toContain('`ask`')
    if (spec.failure === 'closed') expect(markdownDescription).toContain('the action is stopped')
    const page = /docs\/\S+\.md/.exec(markdownDescription!)![0]
    expect(existsSync(join(root, page)), page).toBe(true)
  })

  it.each(EVENT_SPECS)('has snippets for $name that are right when nobody changes them', spec => {
    const own = events[spec.name]!.defaultSnippets as { label: string; body: unknown }[]
    expect(own.length).toBeGreaterThan(1)
    for (const { body } of own) {
      const file = { version: 1, hooks: { [spec.name]: filledIn(body) } }
      expect(JSON.stringify(file)).not.toContain('${')
      expect(problems(hooks, file)).toEqual([])
    }
    const inside = definitions[`${spec.name}Hook`]!.defaultSnippets as { body: unknown }[]
    for (const { body } of inside)
      expect(problems(definitions[`${spec.name}Hook`]!, filledIn(body), hooks)).toEqual([])
    for (const example of events[spec.name]!.examples as unknown[]) {
      expect(problems(hooks, { hooks: { [spec.name]: example } })).toEqual([])
    }
  })

  it('has a snippet for the whole file', () => {
    for (const { body } of hooks.defaultSnippets as { body: unknown }[]) {
      expect(problems(hooks, filledIn(body))).toEqual([])
    }
  })

  it('explains every key of an entry, and its own examples fit', () => {
    for (const name of entryFields) {
      const { description, examples = [] } = definitions[name] as {
        description: string
        examples?: unknown[]
      }
      expect(description, name).toBeTruthy()
      for (const example of examples) expect(problems(definitions[name]!, example, hooks), name).toEqual([])
    }
  })

  it('flags events that do not exist, and takes a $schema line', () => {
    expect(problems(hooks, { hooks: { beforeShellExec: [] } })).toHaveLength(1)
    expect(problems(hooks, { $schema: './hooks.schema.json', hooks: {} })).toEqual([])
    expect(problems(hooks, { $schema: 1, hooks: {} })).toHaveLength(1)
    expect(hooks.allowComments).toBe(true)
  })
})

// The Python library: its own tests, and the law that it treats every payload like the TypeScript SDK.

import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { type AnyFields, acceptFields, inVersion } from '../../packages/hooks/src/protocol/payload.js'
import {
  eventsUnder,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
} from '../../packages/hooks/src/protocol/profiles.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { normalise } from '../../packages/hooks/src/sdk/normalise.js'
import { createProgram, type Handlers, type OnError } from '../../packages/hooks/src/sdk/program.js'
import {
  allow,
  ask,
  context,
  deny,
  env,
  followup,
  notice,
  plugins,
  reword,
  rewrite,
} from '../../packages/hooks/src/sdk/responses.js'
import { anyText } from '../any-text.js'
import { root } from '../architecture/source.js'
import { firstOf, runsEverything } from '../scope.js'
import { python3, sayThatItIsMissing } from './python3.js'

const library = join(root, 'python')
if (!python3) sayThatItIsMissing('the Python library')

const python = (args: readonly string[], input = '') =>
  spawnSync(python3!, ['-B', ...args], {
    cwd: library,
    input,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 2 ** 28,
  })

interface Case {
  readonly text: string
  readonly on_error?: OnError
  readonly say?: readonly (readonly [word: string, ...args: unknown[]])[]
}

interface Handled {
  readonly payload: AnyFields | null
  readonly answer: AnyFields
  readonly problem: string | null
}

/** The result of the Python library for each case, in one process. */
function handled(cases: readonly Case[]): Handled[] {
  const script = join(root, 'tests/python/handled.py')
  const { status, stdout, stderr } = python([script, library], JSON.stringify(cases))
  expect(`${status} ${stderr}`).toBe('0 ')
  return JSON.parse(stdout)
}

const pairs = PROFILE_NAMES.flatMap(name =>
  [...eventsUnder(PROFILES[name]).keys()].map(event => ({
    name,
    profile: PROFILES[name] as Profile,
    spec: EVENT_SPECS.find(spec => spec.name === event)!,
  })),
)

/** Each payload reaches the handler as in TypeScript, or none in both. */
function expectTheSame(payloads: readonly { spec: EventSpec; sent: AnyFields }[]): void {
  const got = handled(payloads.map(({ sent }) => ({ text: JSON.stringify(sent) })))
  payloads.forEach(({ spec, sent }, index) => {
    const { payload, problems } = normalise(spec.name, JSON.parse(JSON.stringify(sent)))
    const isWhole = problems.length === 0
    expect({ sent, payload: read(got[index]!.payload) }).toEqual({
      sent,
      payload: read(isWhole ? payload : null),
    })
    expect(got[index]!.problem === null).toBe(isWhole)
  })
}

/** JSON in a string is compared by value: the two languages write some numbers differently. */
function read(payload: AnyFields | null): AnyFields | null {
  try {
    return { ...payload, tool_input: JSON.parse(payload!.tool_input as string) }
  } catch {
    return payload
  }
}

const text = anyText({ maxLength: 12 })

// They wait for processes and limits, so they run beside the tests of this file.
let ownTests: Promise<{ code: number | null; output: string }>
beforeAll(() => {
  if (!python3) return
  ownTests = new Promise((resolve, reject) => {
    const child = spawn(python3!, ['-B', '-m', 'unittest', 'discover', '-q'], {
      cwd: library,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', part => (output += part))
    child.once('error', reject)
    child.once('close', code => resolve({ code, output }))
  })
})

describe.skipIf(!python3)('the Python library', () => {
  it('gives the shape of today for the sample of every version', () => {
    const got = handled(
      pairs.map(({ name, spec }) => ({ text: JSON.stringify(samplePayload(spec.name, name)) })),
    )
    pairs.forEach(({ name, profile, spec }, index) => {
      const today = samplePayload(spec.name)
      const { payload } = got[index]!
      expect(acceptFields(spec, payload!)).toMatchObject({ ok: true })
      const change = profile.events[spec.name]?.payload
      for (const field of Object.keys(spec.sample)) {
        if (change?.drop?.includes(field)) continue
        expect([name, spec.name, field, payload![field]]).toEqual([name, spec.name, field, today[field]])
      }
    })
    expectTheSame(pairs.map(({ name, spec }) => ({ spec, sent: samplePayload(spec.name, name)! })))
  })

  it('does with any text in any version what TypeScript does', () => {
    const drawn = fc.sample(
      fc.tuple(fc.constantFrom(...pairs), text, fc.nat(), fc.boolean()),
      runsEverything ? 600 : 100,
    )
    expectTheSame(
      drawn.map(([{ profile, spec }, word, number, isLong]) => {
        const version = isLong ? `${profile.version}.7` : profile.version
        const today: Record<string, unknown> = { ...samplePayload(spec.name), cursor_version: version }
        for (const [field, value] of Object.entries(spec.sample)) {
          if (typeof value === 'string') today[field] = field === 'tool_input' ? value : word
          if (typeof value === 'number') today[field] = number
        }
        return { spec, sent: inVersion(profile, spec, today) }
      }),
    )
  })

  it('does with any value in any field what TypeScript does', () => {
    const fields = EVENT_SPECS.flatMap(spec =>
      [
        ...Object.keys(samplePayload(spec.name)),
        ...Object.keys(spec.payload),
        ...Object.keys(spec.accepts ?? {}),
      ]
        .filter(field => field !== 'hook_event_name')
        .map(field => [spec, field] as const),
    )
    const wild = fc.oneof(
      fc.constantFrom<unknown>(null, '', ' 5 ', '1e3', 'x', true, 0, 2.5, [], {}, '{}', '[1]', '{"a":[1]}'),
      fc.jsonValue({ maxDepth: 2 }),
    )
    const drawn = fc.sample(fc.tuple(fc.constantFrom(...fields), wild), runsEverything ? 1500 : 250)
    expectTheSame(
      drawn.map(([[spec, field], value]) => ({
        spec,
        sent: { ...samplePayload(spec.name), [field]: value },
      })),
    )
  })
})

describe.skipIf(!python3)('answers in Python', () => {
  const SAID: readonly (readonly [string, ...unknown[]])[] = [
    ['allow'],
    ['deny'],
    ['deny', 'No.'],
    ['deny', 'No.', 'Try something else.'],
    ['ask', 'Sure?', 'Wait.'],
    ['followup', 'Go on.'],
    ['context', 'More.'],
    ['rewrite', { command: 'ls' }],
    ['reword', 'Better.'],
    ['env', { A: 'b' }],
    ['notice', 'Soon.'],
    ['plugins', ['/a']],
  ]
  const SETS = [
    [],
    ...SAID.map(one => [one]),
    [SAID[0]!, SAID[3]!],
    [SAID[3]!, SAID[2]!],
    [SAID[6]!, SAID[6]!],
  ]

  const builders = { allow, ask, context, deny, env, followup, notice, plugins, reword, rewrite }
  const build = ([word, first, agent]: readonly [string, ...unknown[]]) => {
    const builder = builders[word as keyof typeof builders] as (...args: unknown[]) => unknown
    return agent === undefined ? builder(first) : builder(first, { agent })
  }

  const inTypeScript = (say: NonNullable<Case['say']>, onError: OnError) => {
    const handlers = Object.fromEntries(EVENT_SPECS.map(({ name }) => [name, () => say.map(build)]))
    return createProgram(handlers as Handlers, { onError })
  }

  it.each(firstOf(['deny', 'allow'] as const))('are those of TypeScript, on error %s', async on_error => {
    const cases = pairs.flatMap(({ name, spec }) =>
      SETS.map(say => ({ text: JSON.stringify(samplePayload(spec.name, name)), on_error, say })),
    )
    const got = handled(cases)
    for (const [index, { text, say }] of cases.entries()) {
      const { response: answer, problem } = await inTypeScript(say, on_error).respondTo(text)
      const mine = got[index]!
      expect([text, say, mine.problem === null]).toEqual([text, say, problem === null])
      // The wording of a failure differs between the libraries; its meaning does not.
      const meaning = ({ permission, continue: goesOn }: AnyFields) => ({ permission, goesOn })
      if (problem) expect(meaning(mine.answer)).toEqual(meaning(answer))
      else expect([text, say, mine.answer]).toEqual([text, say, answer])
    }
  })

  it('to what cannot be read are those of TypeScript', async () => {
    const texts = [
      '',
      ' ',
      '\ufeff',
      'x',
      '[]',
      'null',
      '7',
      '{}',
      '{"hook_event_name":7}',
      '{"hook_event_name":"x"}',
    ]
    const sent = [...texts, '{"hook_event_name":"beforeShellExecution"}', '{"hook_event_name":"stop"}x']
    const got = handled(sent.map(text => ({ text })))
    for (const [index, text] of sent.entries()) {
      const { response: answer, problem } = await inTypeScript([], 'deny').respondTo(text)
      const { answer: mine, problem: said } = got[index]!
      expect([text, mine.permission, mine.continue]).toEqual([text, answer.permission, answer.continue])
      expect([text, said !== null]).toEqual([text, problem !== null])
    }
  })
})

it.skipIf(!python3)('the Python library passes its own tests', async () => {
  const { code, output } = await ownTests
  expect(code, output).toBe(0)
  expect(output).toMatch(/Ran [1-9]\d+ tests/)
})

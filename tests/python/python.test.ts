// The Python library: its own tests, and the law that a payload of any version becomes one shape, held against the
// table that the engine itself uses.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { openHooks } from '../../packages/hooks/src/index.js'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { always, conversation } from '../../packages/hooks/src/protocol/fields.js'
import { acceptFacts, inVersion, type LooseFacts } from '../../packages/hooks/src/protocol/payload.js'
import {
  eventsUnder,
  PROFILE_NAMES,
  PROFILES,
  type Profile,
  type RowChange,
} from '../../packages/hooks/src/protocol/profiles.js'
import { samplePayload } from '../../packages/hooks/src/protocol/samples.js'
import { authoringRows, type Kind } from '../../scripts/generate/authoring-rows.js'
import { root } from '../architecture/source.js'
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

/** What handlers get for each payload. */
function normalised(payloads: readonly LooseFacts[]): { payload?: LooseFacts; problem?: string }[] {
  const texts = JSON.stringify(payloads.map(payload => JSON.stringify(payload)))
  const { status, stdout, stderr } = python([join(root, 'tests/python/normalise.py'), library], texts)
  expect(`${status} ${stderr}`).toBe('0 ')
  return JSON.parse(stdout)
}

/** What the version says, in today's words; what it does not say, as the table and the library fill it. */
function expected(profile: Profile, spec: EventSpec, today: LooseFacts): LooseFacts {
  const change = (profile.events[spec.name] as RowChange | undefined)?.payload
  const out: Record<string, unknown> = {}
  const sends = (name: string) => profile.common.includes(name) || change?.keep?.includes(name)
  for (const name of [...Object.keys(always), ...(spec.conversation ? Object.keys(conversation) : [])]) {
    if (sends(name)) out[name] = today[name]
    else if (!name.startsWith('model_')) out[name] = UNSAID[name]
  }
  if (spec.conversation) out.session_id ??= out.conversation_id
  // This version says the model of the subagent in the field of the conversation's.
  if (Object.values(change?.rename ?? {}).includes('model')) out.model = ''
  const own = Object.entries(today).filter(
    ([name]) => !(name in always) && !(name in conversation) && !change?.drop?.includes(name),
  )
  const accepted = acceptFacts(spec, Object.fromEntries(own))
  if (!accepted.ok) throw new Error(JSON.stringify(accepted.problems))
  return { ...out, ...accepted.facts }
}

const UNSAID: Readonly<Record<string, unknown>> = {
  model: '',
  cursor_version: '',
  user_email: null,
  transcript_path: null,
}

const pairs = PROFILE_NAMES.flatMap(name =>
  [...eventsUnder(PROFILES[name]).keys()].map(event => {
    const spec = EVENT_SPECS.find(each => each.name === event)!
    return { name, profile: PROFILES[name] as Profile, spec }
  }),
)

const json = fc.jsonValue({ maxDepth: 2 })
const word = fc.string({ unit: 'binary', maxLength: 12 })
const OF_KIND: Readonly<Record<Kind, fc.Arbitrary<unknown>>> = {
  string: word,
  number: fc.nat(),
  boolean: fc.boolean(),
  object: fc.dictionary(word, json, { maxKeys: 3 }),
  array: fc.constant([]),
}
const attachment = fc.record({ type: fc.constantFrom('file', 'rule'), file_path: word })

/** Any facts of an event: what is required, and any of the rest. */
function anyFacts(spec: EventSpec): fc.Arbitrary<LooseFacts> {
  const { kinds, required } = authoringRows()[spec.name]
  const fields = Object.entries(kinds).map(([name, kind]) => [name, anyValue(spec, name, kind)] as const)
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] })
}

function anyValue(spec: EventSpec, name: string, kind: Kind): fc.Arbitrary<unknown> {
  const sample = spec.sample[name]
  if (name === 'attachments') return fc.array(attachment, { maxLength: 2 })
  if (kind === 'object') return OF_KIND.object
  if (name === 'tool_input') return OF_KIND.object.map(value => JSON.stringify(value))
  // Fields with a closed list of words keep to the sample's.
  const accepts = (value: unknown) => acceptFacts(spec, { ...spec.sample, [name]: value }).ok
  if (kind === 'string' && !accepts('no such word')) return fc.constant(sample ?? 'error')
  return OF_KIND[kind]
}

describe.skipIf(!python3)('the Python library', () => {
  it('passes its own tests', { timeout: 120_000 }, () => {
    const { status, stdout, stderr } = python(['-m', 'unittest', 'discover', '-q'])
    expect(status, stdout + stderr).toBe(0)
    expect(stderr).toMatch(/Ran [1-9]\d+ tests/)
  })

  it('gives one shape for the sample of every version', () => {
    const got = normalised(pairs.map(({ name, spec }) => samplePayload(spec.name, name)!))
    pairs.forEach(({ name, profile, spec }, index) => {
      const version = { cursor_version: profile.version }
      const today = { ...samplePayload(spec.name), ...version }
      expect([name, spec.name, got[index]]).toEqual([
        name,
        spec.name,
        { payload: expected(profile, spec, today) },
      ])
    })
  })

  it('gives one shape for any payload of any version', () => {
    const cases = pairs.flatMap(({ name, profile, spec }) =>
      fc.sample(anyFacts(spec), 8).map(facts => {
        const today = { ...samplePayload(spec.name), cursor_version: profile.version }
        // Only the common fields of the sample: the rest is what was drawn.
        for (const field of Object.keys(spec.payload)) delete (today as Record<string, unknown>)[field]
        const accepted = acceptFacts(spec, facts)
        if (!accepted.ok) throw new Error(`${spec.name}: ${accepted.problems[0]!.message}`)
        return { name, profile, spec, today: { ...today, ...accepted.facts } as LooseFacts }
      }),
    )
    const got = normalised(cases.map(({ profile, spec, today }) => inVersion(profile, spec, today)))
    cases.forEach(({ name, profile, spec, today }, index) => {
      expect([name, spec.name, got[index]]).toEqual([
        name,
        spec.name,
        { payload: expected(profile, spec, today) },
      ])
    })
  })

  it('takes either form of tool_input for either', () => {
    const specs = EVENT_SPECS.filter(({ payload }) => 'tool_input' in payload)
    const flipped = specs.map(spec => {
      const sample = samplePayload(spec.name)
      const given = sample.tool_input
      return { ...sample, tool_input: typeof given === 'string' ? JSON.parse(given) : JSON.stringify(given) }
    })
    expect(normalised(flipped)).toEqual(specs.map(({ name }) => ({ payload: samplePayload(name) })))
  })
})

describe.skipIf(!python3)('a Python hook in the engine', () => {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-python-'))
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  const guard = `import sys
sys.path.insert(0, ${JSON.stringify(library)})
from holdfast_hooks import EVENTS, deny, hook

@hook.on("beforeShellExecution", "preToolUse", "subagentStart")
def guard(payload):
    return deny("No.", agent="Try something else.")

hook.run()
`
  const denied = pairs.filter(
    ({ profile, spec }) => spec.denies && eventsUnder(profile).get(spec.name)?.gate === 'permission',
  )
  const wanted = new Set(['beforeShellExecution', 'preToolUse', 'subagentStart'])

  it.each(denied.filter(({ spec }) => wanted.has(spec.name)))(
    'is heard in $name on $spec.name',
    async ({ name, spec }) => {
      const folder = join(base, `${name}-${spec.name}`)
      mkdirSync(join(folder, '.cursor'), { recursive: true })
      const script = join(folder, 'guard.py')
      writeFileSync(script, guard)
      chmodSync(script, 0o755)
      const command = `'${python3}' -I -S -B '${script}'`
      writeFileSync(
        join(folder, '.cursor/hooks.json'),
        JSON.stringify({ version: 1, hooks: { [spec.name]: [{ command }] } }),
      )
      const engine = await openHooks({
        workspaceRoots: [folder],
        home: join(base, 'home'),
        enterpriseDir: join(base, 'none'),
        profile: name,
        trustAll: true,
        watch: false,
      })
      try {
        const verdict = await engine.fire(spec.name, spec.sample as never)
        expect(verdict.permission).toBe('deny')
        expect(verdict.userMessage).toBe('No.')
      } finally {
        engine.close()
      }
    },
  )
})

// Compares generated files with their sources, and documented behaviour with the engine.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decisionOf } from '../../packages/hooks/src/decide/decide.js'
import { locations } from '../../packages/hooks/src/discover/locations.js'
import { CODES } from '../../packages/hooks/src/protocol/codes.js'
import {
  ENTRY_FIELDS,
  FILE_FIELDS,
  type HookDefinition,
  SOURCES,
} from '../../packages/hooks/src/protocol/config.js'
import { FIXED_VARIABLES } from '../../packages/hooks/src/protocol/environment.js'
import { EVENT_SPECS, type EventSpec } from '../../packages/hooks/src/protocol/events.js'
import { eventsUnder, PROFILE_NAMES, PROFILES } from '../../packages/hooks/src/protocol/profiles.js'
import { RESPONSE_ALIASES } from '../../packages/hooks/src/protocol/response-fields.js'
import type { Event, Exit, Run } from '../../packages/hooks/src/protocol/run.js'
import { read } from '../../packages/hooks/src/read/read.js'
import { OWN_FIELDS } from '../../packages/hooks/src/session.js'
import { CHOICES, effectOf, MISHAPS, type Mishap } from '../../scripts/generate/failure-effects.js'
import { GENERATED_FOLDERS, generated } from '../../scripts/generate/generate.js'
import { filesUnder, isTest, root, scan, sourceFiles } from '../architecture/source.js'

const RUN = 'run `npm run generate`'
const files = generated(root)
const text = (path: string) => files.get(`docs/reference/${path}`) ?? ''

describe('generated files', () => {
  it.each([...files.keys()])('%s is as it would be made now', path => {
    expect(existsSync(join(root, path)), `${path} is missing: ${RUN}`).toBe(true)
    const isSame = readFileSync(join(root, path), 'utf8') === files.get(path)
    expect(isSame, `${path} differs: ${RUN}`).toBe(true)
  })

  it.each(GENERATED_FOLDERS)('%s holds nothing else', folder => {
    const superfluous = filesUnder(folder, path => !files.has(path)).map(({ path }) => path)
    expect(superfluous, `superfluous: ${RUN}`).toEqual([])
  })

  it('are the same when made twice', () => expect(generated(root)).toEqual(files))

  it('do not tell where they were made', () => {
    const told = [...files].filter(([, content]) => content.includes(root) || /\/(work|tmp)\//.test(content))
    expect(told.map(([path]) => path)).toEqual([])
  })
})

describe('the reference', () => {
  it.each(EVENT_SPECS)('has every field of $name', spec => {
    const page = text(`events/${spec.name}.md`)
    for (const field of [...Object.keys(spec.payload), ...Object.keys(spec.answer)]) {
      expect(page).toContain(`| \`${field}\` |`)
    }
    expect(text('events.md')).toContain(`[${spec.name}](events/${spec.name}.md)`)
  })

  it.each(Object.keys({ ...FILE_FIELDS, ...ENTRY_FIELDS }))('has the key %s', key => {
    expect(text('hooks-json.md')).toContain(`| \`${key}\` |`)
  })

  it.each(Object.entries(CODES))('has the code %s', (code, { meaning, hint }) => {
    expect(text('codes.md')).toContain(`| \`${code}\` |`)
    for (const said of [meaning, hint]) {
      expect(text('codes.md').replaceAll('&lt;', '<').replaceAll('\\|', '|')).toContain(said)
    }
  })

  it.each([...Object.keys(RESPONSE_ALIASES)])('has the spelling %s', alias => {
    expect(text('merging.md')).toContain(`| \`${alias}\` |`)
  })

  it('has what the session fills in', () => {
    for (const name of Object.keys(OWN_FIELDS)) {
      expect(text('events.md')).toContain(`\`${name}\``)
    }
  })

  it.each([...FIXED_VARIABLES])('has the variable %s', name => {
    expect(text('environment.md')).toContain(`| \`${name}\` |`)
  })

  it.each([...PROFILE_NAMES])('has the profile %s', name =>
    expect(text('profiles.md')).toContain(`\`${name}\``),
  )

  it.each(['linux', 'darwin', 'win32'] as const)('has the place of every source on %s', platform => {
    const options = { platform, home: '~', roots: ['<root>'], plugins: ['<plugin>'] } as const
    const sources = locations({ ...options, claude: true, pathBase: 'root', teams: ['1'] })
    expect(new Set(sources.map(({ kind }) => kind))).toEqual(new Set(Object.keys(SOURCES)))
    for (const { file, kind } of sources) {
      const shown = kind === 'enterprise' ? file : file.replaceAll('\\', '/').replace('team_1', 'team_<id>')
      expect(text('hooks-json.md')).toContain(shown)
    }
  })
})

describe('what the failures page says', () => {
  const mishaps = Object.keys(MISHAPS) as Mishap[]
  const exit = (code: number, stdout: string): Exit => ({
    code,
    stdout,
    signal: null,
    stderr: '',
    durationMs: 1,
  })
  const exits: Readonly<Record<Mishap, Exit>> = {
    crash: exit(1, ''),
    invalid: exit(0, 'no JSON'),
    silence: exit(0, ''),
    exit2: exit(2, ''),
    deny: exit(1, '{"permission":"deny","continue":false}'),
  }

  function decided(mishap: Mishap, spec: EventSpec, event: Event, failClosed: boolean | undefined): string {
    const hook = {
      event: spec.name,
      dialect: 'native',
      loopLimit: 5,
      failClosed,
    } as unknown as HookDefinition
    const run: Run = { hook, exit: exits[mishap], ...read(exits[mishap], hook, event) }
    return decisionOf(run, event) === 'deny' ? 'is stopped' : 'proceeds'
  }

  it.each([...PROFILE_NAMES])('is what the engine decides in %s', name => {
    const profile = PROFILES[name]
    for (const spec of eventsUnder(profile).values()) {
      const event: Event = { spec, profile, payload: {}, fields: {} }
      for (const mishap of mishaps) {
        for (const failClosed of CHOICES) {
          const where = `${spec.name}, ${mishap}, failClosed ${failClosed}`
          expect(`${where}: ${effectOf(mishap, spec, failClosed, profile)}`).toBe(
            `${where}: ${decided(mishap, spec, event, failClosed)}`,
          )
        }
      }
    }
  })
})

describe('codes', () => {
  /** Codes that no source names, each with its reason. */
  const NOT_NAMED: Readonly<Record<string, string>> = {}

  const families = new Set(Object.keys(CODES).map(code => code.split('/')[0]))
  const looksLikeCode = (value: string) =>
    /^[a-z]+\/[a-z0-9-]+$/.test(value) && families.has(value.split('/')[0])
  const named = sourceFiles()
    .filter(({ path }) => !isTest(path) && !path.endsWith('/protocol/codes.ts'))
    .flatMap(({ path, text }) =>
      scan(text).strings.map(({ value, line }) => ({ value, at: `${path}:${line}` })),
    )
    .filter(({ value }) => looksLikeCode(value))

  it.each(Object.keys(CODES))('%s is used', code => {
    const isUsed = named.some(({ value }) => value === code)
    if (code in NOT_NAMED) expect(isUsed, `${code} is used now: take it off the list`).toBe(false)
    else expect(isUsed, `no source names ${code}`).toBe(true)
  })

  it('exist, wherever one is named', () => {
    expect(named.filter(({ value }) => !(value in CODES)).map(({ value, at }) => `${at} ${value}`)).toEqual(
      [],
    )
  })
})

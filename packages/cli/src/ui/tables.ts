// The workspace, and the tables that pages are drawn from.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { EVENT_SPECS, type EventSpec, findProfile } from '@holdfast/hooks/protocol'
import manifest from '../../package.json' with { type: 'json' }
import { shortPath } from '../print/place.js'
import { IN_ORDER } from '../profiles/names.js'
import { hooksOf, type Panel } from './panel.js'
import { jsonOf } from './path/shape.js'

export async function workspaceTables(panel: Panel) {
  const { workspace } = panel
  const catalog = await panel.look()
  const hooks = hooksOf(catalog)
  return {
    name: basename(workspace.roots[0] ?? workspace.cwd),
    roots: [...workspace.roots],
    profile: workspace.profile,
    version: manifest.version,
    logFile: shortPath(workspace.logFile, workspace.screen),
    events: EVENT_SPECS.map(toEvent),
    profiles: IN_ORDER.map(name => ({ name, summary: findProfile(name)!.summary })),
    schemaJson: schema('hooks.schema.json'),
    hooks: hooks.length,
    untrusted: hooks.filter(({ trusted }) => !trusted).length,
    problems: catalog.issues.filter(({ code }) => code !== 'trust/untrusted').length,
  }
}

const toEvent = (spec: EventSpec) => ({
  name: spec.name,
  summary: spec.summary,
  gate: spec.gate,
  schemaJson: schema(`payload/${spec.name}.schema.json`),
  samples: samplesOf(spec),
})

const require = createRequire(import.meta.url)
const kept = new Map<string, string>()

function schema(name: string): string {
  let text = kept.get(name)
  if (text === undefined) {
    const file = require.resolve(`@holdfast/hooks/schema/${name}`)
    // Without its line breaks: every page waits for it.
    text = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
    kept.set(name, text)
  }
  return text
}

/** What the host itself says of an event; the engine adds the rest. */
function samplesOf({ sample, subject }: EventSpec) {
  const usual = { name: 'Usual', payloadJson: jsonOf(sample) }
  if (!('field' in subject) || !Object.hasOwn(sample, subject.field)) return [usual]
  const others = subject.examples
    .filter(text => text !== sample[subject.field])
    .slice(0, MOST_SAMPLES)
    .map(text => ({ name: text, payloadJson: jsonOf({ ...sample, [subject.field]: text }) }))
  return [usual, ...others]
}

const MOST_SAMPLES = 8

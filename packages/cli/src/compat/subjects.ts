// The hooks of a catalog as the rules want to see them.

import { homedir } from 'node:os'
import { EVENT_NAMES, findEvent, type HookDefinition, type Issue, type Layer } from '@holdfast/hooks/protocol'
import { lintLayer } from '../check/lint.js'
import type { Subject } from './finding.js'
import { traitsOf } from './scripts.js'

/** The same sources, once as if hooks started at the project root and once in the folder of hooks.json. */
export interface Looked {
  readonly root: readonly Layer[]
  readonly file: readonly Layer[]
}

export function subjectsOf(looked: Looked): Subject[] {
  const missing = { root: missingIn(looked.root), file: missingIn(looked.file) }
  const hooks = looked.root.flatMap(layer => layer.hooks)
  const elsewhere = new Map(looked.file.flatMap(layer => layer.hooks.map(hook => [hook.id, hook] as const)))
  const all: (Subject & { beside: Subject[] })[] = []
  for (const event of EVENT_NAMES) {
    const beside: Subject[] = []
    for (const hook of hooks.filter(each => each.event === event)) {
      const { traits, files } = readEither(hook, elsewhere.get(hook.id))
      const found = { root: missing.root(hook), file: missing.file(hook) }
      beside.push({
        hook,
        spec: findEvent(event)!,
        traits,
        files,
        missing: asFarAsKnown(hook, found),
        beside,
      })
    }
    all.push(...(beside as typeof all))
  }
  // As they stand in their files, so that who reads can follow.
  return hooks.flatMap(hook => all.filter(subject => subject.hook === hook)).sort(byPlace)
}

/** Layers are in order already; inside a file, lines are. */
const byPlace = (a: Subject, b: Subject) =>
  a.hook.file === b.hook.file ? (a.hook.line ?? 0) - (b.hook.line ?? 0) : 0

/** A script that is found only from the other folder is the same script. */
function readEither(hook: HookDefinition, other: HookDefinition | undefined) {
  const read = traitsOf(hook)
  return read.files.length === 0 && other ? traitsOf(other) : read
}

/** The word of a command that leads nowhere; null when all do. */
function missingIn(layers: readonly Layer[]): (hook: HookDefinition) => string | null {
  const context = { platform: process.platform, home: homedir(), env: process.env }
  const issues = layers.flatMap(layer => lintLayer(layer, context).issues).filter(isAboutPath)
  return ({ file, path }) => {
    const issue = issues.find(each => each.file === file && each.path === `${path}.command`)
    return issue ? (/^"((?:[^"\\]|\\.)*)"/.exec(issue.message)?.[1] ?? issue.path) : null
  }
}

const isAboutPath = ({ code }: Issue) => code === 'config/script-missing' || code === 'config/path-base'

/** A script that is not there at all is no question of versions, unless its name tells from where it is meant. */
function asFarAsKnown({ source }: HookDefinition, found: Subject['missing']): Subject['missing'] {
  if (found.root === null || found.file === null) return found
  const isFromRoot = source === 'project' && /^(?:\.\/)?\.cursor\//.test(found.file)
  return { root: null, file: isFromRoot ? found.file : null }
}

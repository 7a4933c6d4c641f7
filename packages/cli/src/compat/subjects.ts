// The hooks of a catalog as the rules need them. Linear in the number of hooks.

import { join } from 'node:path'
import { findEvent, type HookDefinition, type Layer } from '@holdfast/hooks/protocol'
import { isPartOfHooks, type Program, programsOf } from '../check/programs.js'
import type { Subject } from './finding.js'

type Missing = Subject['missing']

export function subjectsOf(
  layers: readonly Layer[],
  missingOf: (hook: HookDefinition) => Missing,
): Subject[] {
  const firstOfEvent = new Map<string, HookDefinition>()
  const firstInFile = new Map<string, HookDefinition>()
  const subjects: Subject[] = []
  for (const { hooks } of layers) {
    const own: Subject[] = []
    for (const hook of hooks) {
      const key = `${hook.event} ${hook.file}`
      // A hook in audit mode does not count as the first of its event.
      if (hook.mode === 'enforce') {
        if (!firstOfEvent.has(hook.event)) firstOfEvent.set(hook.event, hook)
        if (!firstInFile.has(key)) firstInFile.set(key, hook)
      }
      own.push({
        hook,
        spec: findEvent(hook.event)!,
        missing: missingOf(hook),
        first: { inFile: firstInFile.get(key), ofEvent: firstOfEvent.get(hook.event) },
      })
    }
    // In the order of the file; `first` above needs the order in which they run.
    own.sort((a, b) => (a.hook.line ?? 0) - (b.hook.line ?? 0))
    for (const subject of own) subjects.push(subject)
  }
  return subjects
}

export const FOUND: Missing = Object.freeze({ root: null, file: null })

/** The same command in the same folder is looked up once. */
export function missingFinder(home: string): (hook: HookDefinition) => Missing {
  // Reading process.env is slow, and every lookup reads all of it.
  const around = { platform: process.platform, home, env: { ...process.env } }
  const known = new Map<string, string | null>()
  const missingFrom = (hook: HookDefinition): string | null => {
    const key = JSON.stringify([hook.cwd, hook.root, hook.plugin, hook.command])
    let word = known.get(key)
    if (word === undefined) {
      word = programsOf(hook, around).find(isMissingScript)?.word ?? null
      known.set(key, word)
    }
    return word
  }
  return hook => {
    const root = missingFrom(hook)
    if (hook.source !== 'project') return { root, file: root }
    return { root, file: missingFrom({ ...hook, cwd: join(hook.root, '.cursor') }) }
  }
}

/** An interpreter may be installed on another machine; a script is part of the hooks. */
const isMissingScript = (program: Program): boolean =>
  program.certain &&
  (program.problem === 'missing' || program.problem === 'no-task') &&
  isPartOfHooks(program)

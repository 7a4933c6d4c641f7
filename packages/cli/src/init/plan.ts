// The exact bytes that init would write. Nothing is written here.

import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EventSpec } from '@holdfast/hooks/protocol'
import { type Change, creation, fileAt, targetOf } from '../edit/change.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'
import { casesText } from './cases.js'
import { type Example, readExample } from './example.js'
import { addGuardOptions, type GuardOptions, type OptionsFileChange } from './guard-options.js'
import { addEntries, type HooksFileChange, type NewEntry, schemaAddress } from './hooks-file.js'
import { type Job, jobFor } from './job.js'
import { type Language, type NewFile, writeHook } from './language.js'
import type { Level } from './level.js'

export interface Choices {
  /** Undefined if only examples are wanted. */
  readonly language: Language | undefined
  readonly events: readonly EventSpec[]
  readonly examples: readonly Example[]
}

export interface InitPlan {
  readonly level: Level
  readonly created: readonly Change[]
  /** Existing files, with the same bytes or with others that stay. */
  readonly kept: readonly { readonly path: string; readonly same: boolean }[]
  readonly hooks: HooksFileChange
  /** Undefined if no guard has options. */
  readonly options?: OptionsFileChange
  /** All files to write, hooks.json last, because it names the others. */
  readonly changes: readonly Change[]
}

interface NewHook {
  readonly files: readonly NewFile[]
  readonly entries: readonly NewEntry[]
  readonly guards?: GuardOptions
}

export async function makePlan(choices: Choices, level: Level, workspace: Workspace): Promise<InitPlan> {
  for (const folder of [dirname(level.hooksFile), level.scripts]) mustBeFolder(folder)
  const wanted: NewHook[] = []
  if (choices.language) wanted.push(await ownHook(choices.language, choices.events.map(jobFor), level))
  for (const example of choices.examples) wanted.push(exampleHook(example, level))
  const created: Change[] = []
  const kept: InitPlan['kept'][number][] = []
  for (const { name, text } of wanted.flatMap(({ files }) => files)) {
    const path = join(level.scripts, name)
    const there = fileAt(path)
    if (there) kept.push({ path, same: there.bytes.equals(Buffer.from(text)) })
    else if (!created.some(change => change.path === path)) created.push(creation(targetOf(path), text))
  }
  const entries = wanted.flatMap(({ entries }) => entries)
  const hooks = await addEntries(level.hooksFile, entries, schemaAddress(level.hooksFile), workspace)
  const guards: GuardOptions = Object.assign({}, ...wanted.map(one => one.guards))
  const options = Object.keys(guards).length > 0 ? addGuardOptions(level.hooksFile, guards) : undefined
  const changes = [...created, ...[options?.change, hooks.change].filter(change => change !== undefined)]
  return { level, created, kept, hooks, changes, ...(options ? { options } : {}) }
}

function mustBeFolder(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isDirectory()) {
    throw new UsageError(`${path} is not a folder. Move it away, then try again. Nothing was written.`)
  }
}

/** Uses the first name that is free, or that belongs to the same hook. */
async function ownHook(language: Language, jobs: readonly Job[], level: Level): Promise<NewHook> {
  const stem = jobs.some(({ kind }) => kind === 'guard') ? 'guard' : 'first-hook'
  for (let number = 1; ; number++) {
    const name = number === 1 ? stem : `${stem}-${number}`
    const { files, script, command } = await writeHook(language, name, jobs, level.scripts)
    for (const file of files) if (file.vendored) mustBeOurs(level.scripts, file)
    const all = [...files, { name: `${name}.hooks-test.yaml`, text: casesText(script, jobs) }]
    if (isTaken(all, level)) continue
    const path = level.prefix + script
    return {
      files: all,
      entries: jobs.map(job => ({ event: job.spec.name, entry: entryFor(job, command(path)) })),
    }
  }
}

/** Compares the script: the user may have changed the cases and copies beside it. */
function isTaken([script, ...others]: readonly NewFile[], { scripts }: Level): boolean {
  const isOther = ({ name, text }: NewFile) => {
    const there = fileAt(join(scripts, name))
    return there !== undefined && !there.bytes.equals(Buffer.from(text))
  }
  if (fileAt(join(scripts, script!.name))) return isOther(script!)
  return others.some(file => !file.vendored && isOther(file))
}

/** The hook will be trusted and imports this file, so a file of somebody else would be trusted unseen. */
function mustBeOurs(scripts: string, { name, text }: NewFile): void {
  const path = join(scripts, name)
  const there = fileAt(path)
  if (!there || there.bytes.equals(Buffer.from(text))) return
  throw new UsageError(
    `${path} exists and is not the library of this version. Remove or rename its folder, then try again. Nothing was written.`,
  )
}

/** A guard that crashes must not let the action proceed, and one follow-up at the end of a turn is enough. */
const entryFor = ({ kind, spec }: Job, command: string): Record<string, unknown> => ({
  command,
  ...(kind === 'guard' && spec.failure === 'open' ? { failClosed: true } : {}),
  ...(kind === 'followup' ? { loop_limit: 1 } : {}),
})

/** The entries and cases of an example name its files, so the files cannot be renamed. */
function exampleHook(example: Example, level: Level): NewHook {
  const { files, entries, guards } = readExample(example, level)
  for (const { name, text } of files) {
    const path = join(level.scripts, name)
    const there = fileAt(path)
    if (there && !there.bytes.equals(Buffer.from(text))) {
      throw new UsageError(
        `${path} exists and is not the file of the example ${example.name}. Move or rename it, then try again. Nothing was written.`,
      )
    }
  }
  return { files, entries, guards }
}

// --undo of init, add and schema: undoes the last of their jobs in this folder.

import { fileTrustStore } from '@holdfast/hooks'
import type { Given } from './arguments.js'
import { forget, type JobKind, journalFolder, type StoredJob, stored } from './edit/journal.js'
import { type Fate, fatesOf, takeBack, type Undone } from './edit/undo.js'
import { fileRows } from './print/changes.js'
import { shortPath } from './print/place.js'
import { print, printError, printJson, type Screen } from './print/terminal.js'
import { UsageError } from './usage-error.js'
import type { Workspace } from './workspace.js'

const COMMANDS: Readonly<Record<JobKind, string>> = {
  init: 'holdfast init',
  add: 'holdfast add',
  schema: 'holdfast schema --install',
  install: 'holdfast install',
  mcp: 'holdfast mcp install',
}
const UNDOS: Readonly<Record<JobKind, string>> = {
  init: 'holdfast init --undo',
  add: 'holdfast add --undo',
  schema: 'holdfast schema --undo',
  install: 'holdfast uninstall',
  mcp: 'holdfast mcp uninstall',
}

export async function undo(
  kind: JobKind,
  folder: string,
  given: Given,
  workspace: Workspace,
): Promise<number> {
  const { screen, home, trustFile } = workspace
  const all = stored(journalFolder(home, folder))
  const last = all.findLast(({ entry }) => entry.kind === kind)
  if (!last) {
    throw new UsageError(
      `There is nothing to undo: ${COMMANDS[kind]} has written nothing in ${folder}, or that was undone already.`,
    )
  }
  const fates = fatesOf(last)
  const held = fates.find(({ file, fate }) => file.holds && fate === 'changed')
  if (held) throw new UsageError(heldWords(held, last, all, screen))
  const isDry = given.has('dry-run')
  const folders = isDry ? [] : takeBack(last, fates)
  if (!isDry) {
    const { trusted } = last.entry
    if (trusted) await fileTrustStore(trustFile).remove(trusted.root, trusted.fingerprints)
    forget(last)
  }
  const left = fates.filter(({ fate }) => fate === 'changed')
  if (given.has('json')) {
    const files = fates.map(({ file, fate }) => ({ path: file.path, fate: JSON_FATES[fate] }))
    printJson({ undone: !isDry, time: last.entry.time, files })
  } else print(report(fates, last, isDry, screen))
  if (left.length > 0) printError(`${leftWords(left, screen)}\n`)
  // A file that stays is reported already; of nested folders the inner one is the reason.
  else if (folders[0] !== undefined && !given.has('json')) {
    printError(`${shortPath(folders[0], screen)} stays, because it contains other files.\n`)
  }
  return left.length > 0 ? 1 : 0
}

const WORDS: Readonly<Record<Fate, string>> = {
  removed: 'remove',
  restored: 'restore',
  gone: 'gone',
  changed: 'left',
}
const NOTES: Readonly<Record<Fate, string>> = {
  removed: '',
  restored: 'as it was before',
  gone: 'already as it was before',
  changed: 'changed since',
}
const JSON_FATES: Readonly<Record<Fate, string>> = {
  removed: 'removed',
  restored: 'restored',
  gone: 'as_before',
  changed: 'left',
}

function report(fates: readonly Undone[], { entry }: StoredJob, isDry: boolean, screen: Screen): string {
  const rows = fates.map(({ file, fate }) => ({ word: WORDS[fate], path: file.path, note: NOTES[fate] }))
  const when = entry.time.slice(0, 19).replace('T', ' ')
  const head = isDry ? 'would undo' : 'undid'
  return `\n  ${screen.bold(`${head} what ${COMMANDS[entry.kind]} wrote`)} ${screen.dim(`at ${when}`)}\n\n${fileRows(rows, screen).join('\n')}\n\n`
}

const leftWords = (left: readonly Undone[], screen: Screen) =>
  `${left.map(({ file }) => shortPath(file.path, screen)).join(' and ')} ${left.length === 1 ? 'was' : 'were'} changed since and ${left.length === 1 ? 'was' : 'were'} left as ${left.length === 1 ? 'it is' : 'they are'}.`

/** Scripts must not be removed while a file that names them stays. */
function heldWords({ file }: Undone, last: StoredJob, all: readonly StoredJob[], screen: Screen): string {
  const path = shortPath(file.path, screen)
  const later = all
    .slice(all.indexOf(last) + 1)
    .find(({ entry }) => entry.files.some(other => other.path === file.path))
  const which = later?.entry.packs ? ' cursor' : ''
  const by = later
    ? ` by ${COMMANDS[later.entry.kind]}${which}. Undo that first: ${UNDOS[later.entry.kind]}${which}`
    : ''
  const fix = later ? by : '. Remove what you do not want by hand'
  return `${path} was changed since${fix}. Nothing was undone.`
}

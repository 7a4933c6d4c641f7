// One source at one moment: what its file holds, or the last good hooks when the file broke meanwhile.

import type { Catalog, HookDefinition, Layer, Source, Team } from '../protocol/config.js'
import { loadClaudeSettings } from './claude.js'
import type { Draft } from './draft.js'
import { type Loaded, loadHooksFile } from './file.js'
import { loadHash } from './hash.js'
import { defineHook, locateScripts, needsProof, openNames, type Surroundings } from './hook.js'
import { checkCommand } from './mistakes.js'
import { loadPlugin } from './plugin.js'
import { openReport, type Report, sortIssues } from './report.js'
import { ABSENT } from './stamps.js'
import { loadTeam } from './team.js'
import { warnOfWrongFolders } from './wrong-folder.js'

/** What a loader found, and where, if that is elsewhere than the source says. */
type Found = Loaded & { readonly file?: string; readonly cwd?: string; readonly team?: Team }
type Loader = (source: Source, report: Report, around: Surroundings) => Found

const LOADERS: Readonly<Record<Source['format'], Loader>> = {
  hooks: (source, report) => loadHooksFile(source.file, report),
  manifest: loadTeam,
  claude: (source, report) => loadClaudeSettings(source.file, report),
  plugin: loadPlugin,
}

export async function loadLayer(source: Source, around: Surroundings, previous?: Catalog): Promise<Layer> {
  const report = openReport(source.kind, source.file)
  // A manifest says which bytes its scripts must have; elsewhere there must be a hook before there is a hash.
  if (source.kind === 'team') await loadHash()
  const loaded = LOADERS[source.format](source, report, around)
  const actual = { ...source, file: loaded.file ?? source.file, cwd: loaded.cwd ?? source.cwd }
  const lastGood = loaded.state === 'loaded' ? undefined : findLastGood(source, previous)
  if (lastGood && loaded.state === 'absent' && around.options.keepDeleted) return lastGood
  if (source.kind === 'project') warnOfWrongFolders(source, report)
  if (lastGood && loaded.state === 'failed') return keep(lastGood, report, around)

  if (loaded.drafts.length > 0 && needsProof(actual, around.options)) await loadHash()
  const own = report.on(actual.file)
  const nameIt = openNames(actual, around.options)
  const hooks: HookDefinition[] = []
  for (const draft of loaded.drafts) {
    const scripts = locateScripts(draft, actual, around)
    const hook = await defineHook(draft, actual, scripts, around, nameIt)
    checkCommand(draft, hook, scripts, actual, around, own)
    hooks.push(hook)
  }
  sayUntrusted(hooks, own)
  const issues = sortIssues(report.issues, actual.file)
  const layer = { source: actual, state: loaded.state, hooks, issues, dropped: loaded.dropped }
  return loaded.team ? { ...layer, team: loaded.team } : layer
}

/** A plugin may move its hooks to another file; it is still the same plugin. */
const isSame = (a: Source, b: Source) =>
  a.kind === b.kind && (a.plugin === undefined ? a.file === b.file : a.plugin === b.plugin)

const findLastGood = (source: Source, previous: Catalog | undefined): Layer | undefined =>
  previous?.layers.find(
    layer => isSame(layer.source, source) && (layer.state === 'loaded' || layer.state === 'kept'),
  )

/** The definitions stay; the scripts they name are looked at anew, as is trust. */
async function keep(last: Layer, report: Report, around: Surroundings): Promise<Layer> {
  const { source } = last
  if (needsProof(source, around.options)) await loadHash()
  const own = report.on(source.file)
  const nameIt = openNames(source, around.options)
  const hooks: HookDefinition[] = []
  for (const before of last.hooks) {
    const draft = draftOf(before)
    const hook = await defineHook(draft, source, locateScripts(draft, source, around), around, nameIt)
    // Without its manifest nobody vouches for other bytes than those that were checked. A script that is gone
    // cannot run; its hook stays and fails, as its policy says.
    const isThere = hook.scripts.every(script => script.stamp !== ABSENT)
    if (source.kind === 'team' && isThere && hook.fingerprint !== before.fingerprint) {
      own.error('config/script-changed', { ...draft.commandAt })
    } else hooks.push(hook)
  }
  own.warning('config/kept-last-good', {
    message: `The file is broken; its last ${count(hooks.length, 'good hook')} ${hooks.length === 1 ? 'stays' : 'stay'} in force.`,
  })
  sayUntrusted(hooks, own)
  const dropped = last.dropped + last.hooks.length - hooks.length
  return { ...last, state: 'kept', hooks, issues: sortIssues(report.issues, source.file), dropped }
}

function draftOf(hook: HookDefinition): Draft {
  const place = { line: hook.line ?? 1, column: hook.column ?? 1 }
  const path = hook.path ?? ''
  return {
    ...hook,
    type: hook.type === 'prompt' ? 'prompt' : 'command',
    place,
    path,
    commandAt: { place, path },
  }
}

function sayUntrusted(hooks: readonly HookDefinition[], report: Report) {
  const untrusted = hooks.filter(hook => !hook.trusted)
  const [first] = untrusted
  if (!first) return
  const all = untrusted.length === hooks.length
  const which = all
    ? `The ${count(hooks.length, 'hook')} of this file`
    : `${untrusted.length} of the ${hooks.length} hooks of this file`
  report.warning('trust/untrusted', {
    place: { line: first.line ?? 1, column: first.column ?? 1 },
    path: first.path ?? '',
    message: `${which} ${hooks.length === 1 ? 'has' : 'have'} not been trusted, so ${hooks.length === 1 ? 'it does' : 'they do'} not run.`,
  })
}

const count = (number: number, noun: string) => (number === 1 ? noun : `${number} ${noun}s`)

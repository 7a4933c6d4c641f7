// One source at one moment: what its file holds, or the last good hooks when the file broke meanwhile.

import { basename, join } from 'node:path'
import type { Catalog, HookDefinition, Layer, Source } from '../protocol/config.js'
import { loadClaudeSettings } from './claude.js'
import type { Draft } from './draft.js'
import { loadHooksFile } from './file.js'
import { Hasher, loadHash } from './fingerprint.js'
import { defineHooks, needsProof } from './hook.js'
import type { DiscoverOptions } from './options.js'
import { loadPlugin } from './plugin.js'
import { openReport, type Report, sortIssues } from './report.js'
import { type FoundTeam, loadTeam } from './team.js'

/** What a loader found, and where, if that differs from the source. */
type Found = FoundTeam & { readonly file?: string }
type Loader = (source: Source, report: Report, options: DiscoverOptions) => Found | Promise<Found>

const LOADERS: Readonly<Record<Source['format'], Loader>> = {
  hooks: (source, report) => loadHooksFile(source.file, report),
  manifest: loadTeam,
  claude: (source, report) => loadClaudeSettings(source.file, report),
  plugin: loadPlugin,
}

export async function loadLayer(
  source: Source,
  options: DiscoverOptions,
  previous?: Catalog,
): Promise<Layer> {
  const report = openReport(source.kind, source.file)
  // A manifest lists the hashes of its scripts; elsewhere there must be a hook before there is a hash.
  if (source.kind === 'team') await loadHash()
  const loaded = await LOADERS[source.format](source, report, options)
  const actual = { ...source, file: loaded.file ?? source.file, cwd: loaded.cwd ?? source.cwd }
  const isKept = loaded.state !== 'loaded' && !loaded.isUnverified
  const lastGood = isKept ? findLastGood(source, previous) : undefined
  if (lastGood && loaded.state === 'absent' && options.keepDeleted) return lastGood
  if (lastGood && loaded.state === 'failed') return keep(lastGood, report, options)

  const own = report.on(actual.file)
  const hooks = await defineAll(loaded.drafts, actual, options, own)
  const changed = hooks
    .flatMap(hook => hook.scripts)
    .find(({ path, stamp }) => isChanged(path, stamp, loaded))
  if (changed) {
    const message = `${changed.path} changed while it was loaded. The hooks of the team do not run.`
    own.error('config/manifest-unverified', { message })
  }
  const issues = sortIssues(report.issues, actual.file)
  const found = changed ? { state: 'failed' as const, hooks: [] } : { state: loaded.state, hooks }
  const layer: Layer = { source: actual, ...found, issues, dropped: loaded.dropped }
  return loaded.team ? { ...layer, team: loaded.team } : layer
}

async function defineAll(drafts: readonly Draft[], source: Source, options: DiscoverOptions, report: Report) {
  const isProven = drafts.length > 0 && needsProof(source, options)
  if (isProven) await loadHash()
  const hasher = isProven ? new Hasher(configFile(source)) : undefined
  const hooks = await defineHooks(drafts, source, hasher, options, report)
  reportUntrusted(hooks, report)
  return hooks
}

/** The managed folder of a team may be a link; its files are read behind it. */
const configFile = ({ kind, file, cwd }: Source): string =>
  kind === 'team' ? join(cwd, basename(file)) : file

/** Whether a script is another file than the one that was verified. */
const isChanged = (path: string, stamp: string, { stamps }: Found): boolean =>
  stamps !== undefined && stamps.get(path) !== stamp

/** A plugin may move its hooks to another file; it is still the same plugin. */
const isSame = (a: Source, b: Source) =>
  a.kind === b.kind && (a.plugin === undefined ? a.file === b.file : a.plugin === b.plugin)

const findLastGood = (source: Source, previous: Catalog | undefined): Layer | undefined =>
  previous?.layers.find(
    layer => isSame(layer.source, source) && (layer.state === 'loaded' || layer.state === 'kept'),
  )

/** The definitions stay; trust and the files that they cover are examined again. */
async function keep(last: Layer, report: Report, options: DiscoverOptions): Promise<Layer> {
  const { source } = last
  const own = report.on(source.file)
  const all = await defineAll(last.hooks.map(draftOf), source, options, own)
  const hooks = all.filter((hook, index) => {
    // Without its manifest, only the content that was verified is known to be good. A missing script cannot run; its
    // hook stays and fails, as its policy says.
    const isThere = hook.scripts.length >= last.hooks[index]!.scripts.length
    const isOther = source.kind === 'team' && isThere && hook.fingerprint !== last.hooks[index]!.fingerprint
    if (isOther) own.error('config/script-changed', draftOf(hook).commandAt)
    return !isOther
  })
  own.warning('config/kept-last-good', {
    message: `The file is broken; its last ${count(hooks.length, 'good hook')} ${hooks.length === 1 ? 'stays' : 'stay'} active.`,
  })
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

function reportUntrusted(hooks: readonly HookDefinition[], report: Report) {
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

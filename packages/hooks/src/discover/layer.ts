// One source → a layer: the hooks of its file, or its last good hooks if the file broke meanwhile.

import { type Draft, FAILED } from '../config/entry.js'
import { openReport, type Report, sortIssues } from '../config/report.js'
import type { Catalog, HookDefinition, Layer, Source } from '../protocol/config.js'
import type { LoadedTeam } from '../team/load.js'
import { loadClaudeSettings } from './claude.js'
import { defineHooks } from './hook.js'
import { loadHooksFile } from './hooks-file.js'
import type { DiscoverOptions } from './locations.js'
import { loadPlugin } from './plugin.js'
import { mainFolderOf } from './worktree.js'

/** The content of a source, and its file if that is not the file of the source. */
type Found = LoadedTeam & { readonly file?: string }

type Loader = (source: Source, report: Report, options: DiscoverOptions) => Promise<Found>

const LOADERS: Readonly<Record<Source['format'], Loader>> = {
  hooks: ({ file }, report) => loadHooksFile(file, report),
  // Imported only if there is a team, because node:crypto takes milliseconds to load.
  manifest: async (...given) => (await import('../team/load.js')).loadTeam(...given),
  claude: ({ file }, report) => loadClaudeSettings(file, report),
  plugin: loadPlugin,
}

/** Bounds the time of loading and of every event. */
const MOST_HOOKS = 2000

export async function loadLayer(
  source: Source,
  options: DiscoverOptions,
  previous?: Catalog,
): Promise<Layer> {
  const report = openReport(source.kind, source.file)
  const loaded = limit(await LOADERS[source.format](source, report, options), report)
  const actual = { ...source, file: loaded.file ?? source.file, cwd: loaded.cwd ?? source.cwd }
  const isKept = loaded.state !== 'loaded' && !loaded.isUnverified
  const lastGood = isKept ? findLastGood(source, previous) : undefined
  if (lastGood && loaded.state === 'absent' && options.keepDeleted) return lastGood
  if (lastGood && loaded.state === 'failed') return keep(lastGood, report, options)
  const own = report.on(actual.file)
  const hooks = await defineHooks(loaded.drafts, actual, options, own, loaded.verified)
  reportUntrusted(hooks, own)
  const issues = sortIssues(report.issues, actual.file)
  const { state, dropped, team, protectHookFiles, allowedHttpHosts } = loaded
  const layer: Layer = { source: actual, state, hooks, issues, dropped }
  return {
    ...layer,
    ...(team && { team }),
    ...(protectHookFiles !== undefined && { protectHookFiles }),
    ...(allowedHttpHosts !== undefined && { allowedHttpHosts }),
  }
}

function limit(found: Found, report: Report): Found {
  if (found.drafts.length <= MOST_HOOKS) return found
  report.error('config/too-large', { message: `The file has more than ${MOST_HOOKS} hooks.` })
  return { ...found, ...FAILED }
}

/** A plugin may move its hooks to another file; it is still the same plugin. */
const isSame = (a: Source, b: Source) =>
  a.kind === b.kind && (a.plugin === undefined ? a.file === b.file : a.plugin === b.plugin)

const findLastGood = (source: Source, previous: Catalog | undefined): Layer | undefined =>
  previous?.layers.find(
    layer => isSame(layer.source, source) && (layer.state === 'loaded' || layer.state === 'kept'),
  )

/** The definitions stay; trust and the covered files are examined again. */
async function keep(last: Layer, report: Report, options: DiscoverOptions): Promise<Layer> {
  const { source } = last
  const own = report.on(source.file)
  const all = await defineHooks(last.hooks.map(draftOf), source, options, own)
  reportUntrusted(all, own)
  const hooks = all.filter((hook, index) => {
    const before = last.hooks[index]!
    // Without its manifest, only the content that was verified is known to be good. A missing script cannot run; its
    // hook stays and fails, as its policy says.
    const isThere = hook.scripts.length >= before.scripts.length
    const isOther = source.kind === 'team' && isThere && hook.fingerprint !== before.fingerprint
    if (isOther) own.error('config/script-changed', draftOf(hook))
    return !isOther
  })
  own.warning('config/kept-last-good', {
    message: `The file is broken; its last ${count(hooks.length, 'good hook')} ${hooks.length === 1 ? 'stays' : 'stay'} active.`,
  })
  const dropped = last.dropped + last.hooks.length - hooks.length
  return { ...last, state: 'kept', hooks, issues: sortIssues(report.issues, source.file), dropped }
}

const draftOf = (hook: HookDefinition): Draft => ({
  ...hook,
  type: hook.type === 'function' ? 'command' : hook.type,
  place: { line: hook.line ?? 1, column: hook.column ?? 1 },
  path: hook.path ?? '',
  ...(hook.source === 'team' && hook.scripts[0] ? { script: hook.scripts[0].path } : {}),
})

function reportUntrusted(hooks: readonly HookDefinition[], report: Report) {
  const untrusted = hooks.filter(hook => !hook.trusted)
  const [first] = untrusted
  if (!first) return
  const which =
    untrusted.length === hooks.length
      ? `The ${count(hooks.length, 'hook')} of this file`
      : `${untrusted.length} of the ${hooks.length} hooks of this file`
  report.warning('trust/untrusted', {
    place: { line: first.line ?? 1, column: first.column ?? 1 },
    path: first.path ?? '',
    message: `${which} ${hooks.length === 1 ? 'has' : 'have'} not been trusted, so ${hooks.length === 1 ? 'it does' : 'they do'} not run.${worktreeNote(untrusted)}`,
  })
}

/** Why the trust of the main worktree does not apply. */
function worktreeNote(untrusted: readonly HookDefinition[]): string {
  const main = mainFolderOf(untrusted[0]!.root)
  if (main === undefined) return ''
  const gaps = untrusted.filter(({ gap }) => gap !== undefined).length
  const reason =
    gaps === untrusted.length
      ? 'does not apply to hooks that are not fully covered'
      : 'applies only to hooks that are fully covered and have the same content there'
  return ` This folder is a worktree of ${main}; the trust of that folder ${reason}.`
}

const count = (number: number, noun: string) => (number === 1 ? noun : `${number} ${noun}s`)

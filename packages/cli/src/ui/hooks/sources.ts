// Every source in order of priority, with its hooks and issues.

import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { Catalog, HookDefinition, Issue, Layer, Source } from '@holdfast/hooks/protocol'
import { targetOf } from '../../edit/change.js'
import { shortPath } from '../../print/place.js'
import { judgeTrust } from '../../trusted.js'
import { hooksOf, type Panel } from '../panel.js'
import { toProblem } from '../problems.js'
import { historiesOf } from './history.js'
import { type HookShape, toHook } from './hook.js'

/** Stands for the file, because paths from a page are never used. */
export const sourceId = ({ kind, file }: Source): string =>
  createHash('sha256').update(`${kind}\0${file}`).digest('base64url').slice(0, 16)

export async function listSources(panel: Panel) {
  const catalog = await panel.look()
  const shapes = shapesOf(catalog, panel)
  const isOfLayer = new Set(catalog.layers.flatMap(({ issues }) => issues))
  return {
    sources: catalog.layers.map(layer => toSource(layer, shapes, panel)),
    problems: catalog.issues.filter(issue => !isOfLayer.has(issue)).map(toProblem),
  }
}

function toSource(layer: Layer, shapes: ReadonlyMap<HookDefinition, HookShape>, { workspace }: Panel) {
  const { source, state, hooks, issues } = layer
  const ofHooks = new Set(hooks.flatMap(hook => issuesOf(hook, issues)))
  return {
    id: sourceId(source),
    kind: source.kind,
    file: source.file,
    shown: shortPath(source.file, workspace.screen),
    state: state === 'kept' ? 'stale' : state,
    canEdit: canEdit(source),
    hooks: hooks.map(hook => shapes.get(hook)!),
    problems: issues.filter(issue => !ofHooks.has(issue)).map(toProblem),
  }
}

export function shapesOf(
  catalog: Catalog,
  { profile, workspace, book }: Panel,
): Map<HookDefinition, HookShape> {
  const all = hooksOf(catalog)
  const histories = historiesOf(book, all)
  const hasRun = (hook: HookDefinition) => (histories.get(hook)?.runs ?? 0) > 0
  const trust = new Map(
    judgeTrust(all, workspace.trustFile, hasRun).map(({ hook, state }) => [hook, state] as const),
  )
  const shapes = new Map<HookDefinition, HookShape>()
  for (const { source, hooks, issues } of catalog.layers) {
    for (const hook of hooks) {
      const shape = toHook(hook, {
        profile,
        roots: workspace.host.workspaceRoots,
        sourceId: sourceId(source),
        order: (catalog.byEvent.get(hook.event) ?? []).indexOf(hook) + 1,
        trust: trust.get(hook),
        history: histories.get(hook),
        problems: issuesOf(hook, issues).map(toProblem),
      })
      shapes.set(hook, shape)
    }
  }
  return shapes
}

/** Issues of an entry or a part of it. A file that is not trusted is reported for all of its hooks. */
const issuesOf = ({ path, file }: HookDefinition, issues: readonly Issue[]): Issue[] =>
  issues.filter(
    issue =>
      issue.code !== 'trust/untrusted' &&
      path !== null &&
      issue.file === file &&
      (issue.path === path || issue.path.startsWith(`${path}.`)),
  )

/** The files that users write by hand. Others are delivered, or belong to another program. */
export const isEditable = ({ kind }: Source): boolean => kind === 'project' || kind === 'user'

/** A link in an untrusted project must not let the editor open other files of the user. */
export function staysInside({ kind, file, root }: Source): boolean {
  if (kind !== 'project' || root === undefined) return true
  try {
    const way = relative(realpathSync(root), realOf(targetOf(file)))
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
  } catch {
    return false
  }
}

/** Also of paths that do not exist yet. */
const realOf = (path: string): string =>
  existsSync(path) || path === dirname(path)
    ? realpathSync(path)
    : join(realOf(dirname(path)), basename(path))

export function canEdit(source: Source): boolean {
  if (!isEditable(source) || !staysInside(source)) return false
  let place = source.file
  while (!existsSync(place) && place !== dirname(place)) place = dirname(place)
  try {
    accessSync(place, constants.W_OK)
    if (place === source.file) accessSync(dirname(place), constants.W_OK)
    return true
  } catch {
    return false
  }
}

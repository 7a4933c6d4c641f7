// A plugin folder: its manifest may name the file with the hooks or hold them itself.

import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Source } from '../protocol/config.js'
import { membersOf } from './fields.js'
import { ABSENT, FAILED, type Loaded, loadHooksFile, openDocument, readEvents, readHooks } from './file.js'
import { isInside } from './hook.js'
import { describe, type Member, quote } from './json.js'
import type { Report } from './report.js'
import { statOf } from './stamps.js'

type LoadedFrom = Loaded & { readonly file: string }

export function loadPlugin(source: Source, report: Report): LoadedFrom {
  const folder = source.plugin ?? source.cwd
  const manifest = source.file
  const usual = defaultHooks(folder)
  const root = openDocument(manifest, report, 'config/bad-plugin')
  if (root === 'failed') return { ...FAILED, file: manifest }
  const hooks =
    root !== 'absent' && root.kind === 'object' ? membersOf(root, '', report).get('hooks') : undefined
  if (hooks) return loadNamed(hooks, folder, manifest, report)
  if (root !== 'absent' && root.kind !== 'object') {
    const message = `The manifest holds ${describe(root)}, not an object.`
    report.error('config/bad-plugin', { place: root.place, message })
    return { ...FAILED, file: manifest }
  }
  if (!statOf(folder)?.isDirectory()) {
    const message = `The plugin folder ${quote(folder)} does not exist.`
    report.error('config/bad-plugin', { message, hint: 'Correct the path that the host was given.' })
    return { ...ABSENT, file: manifest }
  }
  return loadInside(usual, folder, undefined, report)
}

export const defaultHooks = (folder: string): string => join(folder, 'hooks', 'hooks.json')

/** What the manifest says replaces the usual place. */
function loadNamed(hooks: Member, folder: string, manifest: string, report: Report): LoadedFrom {
  const { value } = hooks
  if (value.kind === 'object') {
    const isFile = value.members.some(member => member.key === 'hooks' && member.value.kind === 'object')
    const loaded = isFile ? readHooks(value, 'hooks', report) : readEvents(value, 'hooks', report)
    return { ...loaded, file: manifest }
  }
  if (value.kind === 'value' && typeof value.value === 'string') {
    return loadInside(resolve(folder, value.value), folder, hooks, report)
  }
  const message = `"hooks" is ${describe(value)}; expected a path or an object.`
  report.error('config/bad-plugin', { place: value.place, path: 'hooks', message })
  return { ...FAILED, file: manifest }
}

/** The file must lie in the plugin, with all links followed. */
function loadInside(file: string, folder: string, named: Member | undefined, report: Report): LoadedFrom {
  const say = (message: string): LoadedFrom => {
    if (named) report.error('config/bad-plugin', { place: named.value.place, path: 'hooks', message })
    else report.on(file).error('config/bad-plugin', { message })
    return { ...FAILED, file }
  }
  if (!isInside(folder, file)) return say(`${quote(file)} lies outside the plugin.`)
  let real: string
  try {
    real = realpathSync.native(file)
    if (!isInside(realpathSync.native(folder), real)) return say(`${quote(file)} leads outside the plugin.`)
  } catch {
    if (statOf(file)) return say(`${quote(file)} cannot be read.`)
    return named ? say(`${quote(file)} does not exist.`) : { ...ABSENT, file }
  }
  return { ...loadHooksFile(file, report.on(file)), file }
}

// A plugin folder. Its manifest may name the file with the hooks, or contain them.

import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ABSENT, FAILED, type Loaded, membersOf } from '../config/entry.js'
import { isInside, statOf } from '../config/file.js'
import { describe, type Member, openDocument, quote } from '../config/json.js'
import type { Report } from '../config/report.js'
import type { Source } from '../protocol/config.js'
import { loadHooksFile, readEvents, readHooks } from './hooks-file.js'

type LoadedFrom = Loaded & { readonly file: string }

export async function loadPlugin(source: Source, report: Report): Promise<LoadedFrom> {
  const folder = source.plugin ?? source.cwd
  const manifest = source.file
  const root = openDocument(manifest, report, 'config/bad-plugin')
  if (root === 'failed') return { ...FAILED, file: manifest }
  if (root !== 'absent' && root.kind !== 'object') {
    const message = `The manifest contains ${describe(root)}, not an object.`
    report.error('config/bad-plugin', { place: root.place, message })
    return { ...FAILED, file: manifest }
  }
  const hooks = root === 'absent' ? undefined : membersOf(root, '', report).get('hooks')
  if (hooks) return loadNamed(hooks, folder, manifest, report)
  if (!statOf(folder)?.isDirectory()) {
    const message = `The plugin folder ${quote(folder)} does not exist.`
    report.error('config/bad-plugin', { message, hint: 'Correct the path that the host was given.' })
    return { ...ABSENT, file: manifest }
  }
  return loadInside(defaultHooks(folder), folder, undefined, report)
}

export const defaultHooks = (folder: string): string => join(folder, 'hooks', 'hooks.json')

/** `hooks` in the manifest replaces the default file. */
async function loadNamed(
  hooks: Member,
  folder: string,
  manifest: string,
  report: Report,
): Promise<LoadedFrom> {
  const { value } = hooks
  if (value.kind === 'object') {
    const isFile = value.members.some(member => member.key === 'hooks' && member.value.kind === 'object')
    const loaded = await (isFile ? readHooks : readEvents)(value, 'hooks', report)
    return { ...loaded, file: manifest }
  }
  if (value.kind === 'value' && typeof value.value === 'string') {
    return loadInside(resolve(folder, value.value), folder, hooks, report)
  }
  const message = `"hooks" is ${describe(value)}; expected a path or an object.`
  report.error('config/bad-plugin', { place: value.place, path: 'hooks', message })
  return { ...FAILED, file: manifest }
}

/** The file must be in the plugin, with all links followed. */
async function loadInside(
  file: string,
  folder: string,
  named: Member | undefined,
  report: Report,
): Promise<LoadedFrom> {
  const reject = (message: string): LoadedFrom => {
    if (named) report.error('config/bad-plugin', { place: named.value.place, path: 'hooks', message })
    else report.on(file).error('config/bad-plugin', { message })
    return { ...FAILED, file }
  }
  if (!isInside(folder, file)) return reject(`${quote(file)} is outside the plugin.`)
  try {
    if (!isInside(realpathSync.native(folder), realpathSync.native(file)))
      return reject(`${quote(file)} leads outside the plugin.`)
  } catch {
    if (statOf(file)) return reject(`${quote(file)} cannot be read.`)
    return named ? reject(`${quote(file)} does not exist.`) : { ...ABSENT, file }
  }
  return { ...(await loadHooksFile(file, report.on(file))), file }
}

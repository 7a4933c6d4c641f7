// A plugin folder. Its manifest may name the file with the hooks, or contain them.

import { realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ABSENT, FAILED, type Loaded, membersOf, openDocument } from '../config/entry.js'
import { isInside, statOf } from '../config/file.js'
import { type Member, mismatch, quote } from '../config/json.js'
import type { Report } from '../config/report.js'
import type { Source } from '../protocol/config.js'
import { loadHooksFile, readEntries, readHooks } from './hooks-file.js'

/** The content of a plugin, and its file with hooks if that is not the manifest. */
type LoadedFrom = Loaded & { readonly file?: string }

export async function loadPlugin(source: Source, report: Report): Promise<LoadedFrom> {
  const folder = source.plugin ?? source.cwd
  const root = openDocument(source.file, report, 'config/bad-plugin')
  if ('state' in root && root.state === 'failed') return root
  const hooks = 'members' in root ? membersOf(root, '', report).get('hooks') : undefined
  if (hooks) return loadNamed(hooks, folder, report)
  if (!statOf(folder)?.isDirectory()) {
    const message = `The plugin folder ${quote(folder)} does not exist.`
    report.error('config/bad-plugin', { message, hint: 'Correct the path that the host was given.' })
    return ABSENT
  }
  return loadInside(defaultHooks(folder), folder, undefined, report)
}

export const defaultHooks = (folder: string): string => join(folder, 'hooks', 'hooks.json')

/** `hooks` in the manifest replaces the default file. */
async function loadNamed(hooks: Member, folder: string, report: Report): Promise<LoadedFrom> {
  const { value } = hooks
  if (value.kind === 'object') {
    const isFile = value.members.some(member => member.key === 'hooks' && member.value.kind === 'object')
    return (isFile ? readHooks : readEntries)(value, 'hooks', report)
  }
  if (value.kind === 'value' && typeof value.value === 'string')
    return loadInside(resolve(folder, value.value), folder, hooks, report)
  report.error('config/bad-plugin', { ...mismatch('hooks', value, 'a path or an object'), path: 'hooks' })
  return FAILED
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

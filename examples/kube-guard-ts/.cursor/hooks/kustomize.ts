// The files of -k: a folder with a kustomization, and everything that it refers to. Nothing is rendered; each part is
// checked separately.

import { existsSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { type Manifests, none, readFilename, readText } from './manifests.js'

const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']
const LISTS = ['resources', 'bases', 'components', 'patchesStrategicMerge', 'crds', 'configurations']
const MOST_FOLDERS = 50

export function readKustomization(name: string, folders: readonly string[], into: Manifests): void {
  const there = folders.filter(folder => fileIn(resolve(folder, name)) !== undefined)
  if (there.length === 0) {
    const what = `${name} is not a folder with a kustomization that can be looked at`
    into.problems.push({ verdict: 'ask', what })
  }
  for (const folder of there) readFolder(name, folder, into, new Set())
}

const fileIn = (folder: string) => NAMES.find(each => existsSync(join(folder, each)))

function readFolder(name: string, cwd: string, into: Manifests, seen: Set<string>): void {
  const folder = resolve(cwd, name)
  if (seen.has(folder)) return
  seen.add(folder)
  const file = fileIn(folder)
  if (seen.size > MOST_FOLDERS || file === undefined) {
    into.problems.push({ verdict: 'ask', what: `${name} holds no kustomization that can be looked at` })
    return
  }
  const own = none()
  readFilename(join(name, file), [cwd], false, own)
  into.problems.push(...own.problems)
  for (const { value, where } of own.documents) {
    into.documents.push({ where, value: { ...value, kind: 'Kustomization' } })
    for (const key of LISTS) for (const part of texts(value[key])) read(part)
    for (const patch of list(value.patches)) for (const part of texts([patch?.path, patch?.patch])) read(part)
    if (
      list(value.helmCharts).length > 0 ||
      list(value.generators).length > 0 ||
      list(value.transformers).length > 0
    )
      into.problems.push({
        verdict: 'ask',
        what: `${where} makes objects with programs that are not looked at`,
      })
  }

  function read(part: string): void {
    // Patches may be inline instead of in a file.
    if (part.includes('\n')) {
      readText(part, `a patch in ${name}`, into, 'ask')
      return
    }
    const path = resolve(folder, part)
    const shown = join(name, part)
    if (/:\/\/|^[\w.-]+\.[a-z]{2,}[/:]|^git@|\?ref=/.test(part) && !existsSync(path)) {
      into.problems.push({
        verdict: 'ask',
        what: `${part} is read from the network, so nobody has looked at it`,
      })
    } else if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) readFolder(shown, cwd, into, seen)
    else if (!NAMES.includes(basename(path))) readFilename(shown, [cwd], false, into)
  }
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a file holds
const list = (value: unknown): any[] => (Array.isArray(value) ? value : [])
const texts = (value: unknown): string[] => list(value).filter(item => typeof item === 'string')

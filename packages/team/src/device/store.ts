// The sets of hooks that were taken, and the one link that says which is in force.

import { readlinkSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import {
  type Bundle,
  LIMITS,
  listFolder,
  type Place,
  readBundle,
  readPlain,
  sha256,
  type Viewer,
} from '@holdfast/hooks/team'
import { type Disk, UNFINISHED } from './disk.js'
import type { StoredFile } from './set.js'

export const readStore = (viewer: Viewer): Bundle[] =>
  listFolder(viewer.store)
    .filter(name => !name.startsWith(UNFINISHED))
    .map(name => readBundle(name, viewer))

/** The bytes with this hash, from any set that has them. */
export function findScript(
  bundles: readonly Bundle[],
  { store }: Viewer,
  wanted: string,
): Uint8Array | undefined {
  for (const { name, release } of bundles) {
    for (const hook of release?.payload.hooks ?? []) {
      if (hook.sha256 !== wanted || hook.script_name === undefined) continue
      const bytes = readPlain(join(store, name, hook.script_name), LIMITS.script)
      if (bytes && sha256(bytes) === wanted) return new Uint8Array(bytes)
    }
  }
  return undefined
}

/** The set that the link leads to; a link to anywhere else leads to none. */
export function linkedName(place: Place): string | undefined {
  try {
    const path = relative(place.store, resolve(place.folder, readlinkSync(place.hooks)))
    return path !== '' && path !== '..' && !path.includes(sep) ? path : undefined
  } catch {
    return undefined
  }
}

/** Written beside, synced, then named: a set is in the store whole or not at all. Its folder's name is given back. */
export function storeSet(
  place: Place,
  disk: Disk,
  wanted: string,
  files: readonly StoredFile[],
  unique: string,
) {
  disk.folder(place.store)
  const half = join(place.store, `${UNFINISHED}${unique}`)
  disk.folder(half)
  for (const { name, bytes, mode } of files) disk.create(join(half, name), bytes, mode)
  disk.sync(half)
  // What is there under that name is damaged, or it would be in use; somebody may still read it.
  const taken = new Set(listFolder(place.store))
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`
  disk.move(half, join(place.store, name))
  disk.sync(place.store)
  return name
}

export const switchTo = (place: Place, disk: Disk, name: string): void =>
  disk.link(place.hooks, `store/${name}`)

/** What crashes left behind, and sets that nobody needs any more, if it is known which. */
export function tidy(place: Place, disk: Disk, keep: ReadonlySet<string> | undefined): void {
  const remove = (folder: string, isWaste: (name: string) => boolean) => {
    for (const name of listFolder(folder)) if (isWaste(name)) disk.remove(join(folder, name))
  }
  const isUnfinished = (name: string) => name.startsWith(UNFINISHED)
  remove(place.folder, isUnfinished)
  remove(place.trust, isUnfinished)
  remove(place.store, name => isUnfinished(name) || keep?.has(name) === false)
}

// The accepted sets of hooks, and the link to the active one.

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

/** The bytes with this hash, from any set that contains them. */
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

/** The set that the link points to; a link to another place counts as none. */
export function linkedName(place: Place): string | undefined {
  try {
    const path = relative(place.store, resolve(place.folder, readlinkSync(place.hooks)))
    return path !== '' && path !== '..' && !path.includes(sep) ? path : undefined
  } catch {
    return undefined
  }
}

/**
 * Written to a temporary folder, synced, then renamed: a set in the store is always complete. Returns the name of its
 * folder.
 */
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
  // A damaged set of that name, which another process may still read.
  const taken = new Set(listFolder(place.store))
  let name = wanted
  for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`
  disk.move(half, join(place.store, name))
  disk.sync(place.store)
  return name
}

export const switchTo = (place: Place, disk: Disk, name: string): void =>
  disk.link(place.hooks, `store/${name}`)

/** Remains of crashes, and sets that are no longer needed, if that is known. */
export function tidy(place: Place, disk: Disk, keep: ReadonlySet<string> | undefined): void {
  const remove = (folder: string, isWaste: (name: string) => boolean) => {
    for (const name of listFolder(folder)) if (isWaste(name)) disk.remove(join(folder, name))
  }
  const isUnfinished = (name: string) => name.startsWith(UNFINISHED)
  remove(place.folder, isUnfinished)
  remove(place.trust, isUnfinished)
  remove(place.store, name => isUnfinished(name) || keep?.has(name) === false)
}

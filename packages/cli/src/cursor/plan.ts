// The steps after which exactly these packs are in Cursor's files. Nothing is written here.

import { join, sep } from 'node:path'
import { type Before, type Change, fileAt, targetOf } from '../edit/change.js'
import { hashOf, type Pack, type WrittenFile } from '../edit/journal.js'
import { UsageError } from '../usage-error.js'
import type { ScriptFile } from './files.js'
import type { CursorTarget } from './place.js'
import { type InstalledPacks, knownIn } from './record.js'
import { settled } from './text.js'

export interface CursorPlan {
  readonly target: CursorTarget
  readonly known: InstalledPacks
  readonly packs: readonly Pack[]
  /** hooks.json, behind all links. */
  readonly path: string
  readonly now: Before | undefined
  /** Null if the file is removed. */
  readonly after: Before | null
  readonly origin: Before | null
  readonly scripts: readonly Change[]
  /** Present with the same bytes. */
  readonly kept: readonly string[]
  /** Created by holdfast, and no longer needed. */
  readonly removed: readonly string[]
  /** Created by holdfast, and changed since by somebody else. */
  readonly left: readonly string[]
  /** The scripts that belong to holdfast afterwards. */
  readonly owned: readonly WrittenFile[]
}

export interface Wish {
  /** Added, or replaced. */
  readonly pack?: Pack & { readonly files: readonly ScriptFile[] }
  /** Names of packs that are removed. */
  readonly gone?: readonly string[]
}

export function planFor(target: CursorTarget, { pack, gone = [] }: Wish, schema: string): CursorPlan {
  const path = targetOf(target.hooksFile)
  const now = fileAt(path)
  const known = knownIn(target, path)
  const packs = packsAfter(known.packs, pack, gone)
  const wanted = (pack?.files ?? []).map(file =>
    scriptAt(join(target.scripts, pack!.name, file.name), file, known),
  )
  const isMeant = (file: WrittenFile) =>
    [...gone, ...(pack ? [pack.name] : [])].some(name =>
      file.path.startsWith(join(target.scripts, name) + sep),
    )
  const obsolete = known.scripts.filter(file => isMeant(file) && !wanted.some(({ at }) => at === file.path))
  const there = obsolete.flatMap(file => {
    const found = fileAt(file.path)
    return found ? [{ file, isOurs: known.isOurs(file.path, found.bytes) }] : []
  })
  const removed = there.filter(({ isOurs }) => isOurs).map(({ file }) => file)
  return {
    target,
    known,
    packs,
    path,
    now,
    ...settled(path, now, packs, known, schema),
    scripts: wanted.flatMap(({ change }) => change ?? []),
    kept: wanted.flatMap(({ change, at }) => (change ? [] : at)),
    removed: removed.map(file => file.path),
    left: there.filter(({ isOurs }) => !isOurs).map(({ file }) => file.path),
    owned: [
      ...known.scripts.filter(file => !isMeant(file)),
      ...wanted.flatMap(({ own }) => own ?? []),
      // They are recorded until they are removed, which is the last step.
      ...removed,
    ],
  }
}

/** Keeps their order. */
function packsAfter(was: readonly Pack[], coming: Wish['pack'], gone: readonly string[]): Pack[] {
  const stay = was.filter(({ name }) => !gone.includes(name))
  if (!coming) return stay
  const { name, from, entries } = coming
  const next = { name, from, entries }
  return stay.some(pack => pack.name === name)
    ? stay.map(pack => (pack.name === name ? next : pack))
    : [...stay, next]
}

interface Script {
  readonly at: string
  readonly change?: Change
  /** Absent if the user had the same file before. */
  readonly own?: WrittenFile
}

function scriptAt(at: string, { bytes, mode }: ScriptFile, known: InstalledPacks): Script {
  const there = fileAt(at)
  const own = { path: at, before: null, after: hashOf(bytes), holds: false }
  if (!there) return { at, own, change: { path: at, before: null, after: bytes, mode } }
  const isOurs = known.isOurs(at, there.bytes)
  const canStart = (mode & 0o111) === 0 || (there.mode & 0o111) !== 0
  if (there.bytes.equals(bytes) && canStart) return isOurs ? { at, own } : { at }
  if (isOurs) return { at, own, change: { path: at, before: there, after: bytes, mode } }
  const why = known.scripts.some(({ path }) => path === at)
    ? 'was changed since holdfast put it there'
    : there.bytes.equals(bytes)
      ? 'exists and cannot be started'
      : 'exists and has other content'
  throw new UsageError(`${at} ${why}. Move or rename it, then try again. Nothing was written.`)
}

export const isNothing = ({ now, after, scripts, removed }: CursorPlan): boolean =>
  scripts.length === 0 && removed.length === 0 && isUnchanged(now, after)

export const isUnchanged = (now: Before | undefined, after: Before | null): boolean =>
  now && after ? now.bytes.equals(after.bytes) : !now && !after

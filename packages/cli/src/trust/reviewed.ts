// The files of hooks as they were when they were last trusted, for the next review. Only for display: trust itself is
// for fingerprints.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { HookDefinition } from '@holdfast/hooks/protocol'
import { replace } from '../edit/write.js'

const LARGEST_TEXT = 64 * 1024
const LARGEST_FILE = 16 * 1024 * 1024
const LARGEST_STORE = 4 * 1024 * 1024

/** One file now. `text` is null for binary and large files. */
export interface Content {
  readonly bytes: number
  readonly text: string | null
  /** Empty if the file is too large to be read. */
  readonly sha256: string
}

export interface FileReview {
  readonly path: string
  /** unknown: there is nothing to compare with, or too much. */
  readonly state: 'new' | 'changed' | 'removed' | 'same' | 'unknown'
  readonly before: Content | null
  readonly after: Content | null
}

/** By the path from the root. */
type StoredReview = Readonly<Record<string, Content>>

export interface Reviewed {
  /** The files that the trust in these hooks covers, in their order. */
  review(hooks: readonly HookDefinition[]): FileReview[]
  /** The content that was shown is the content that was trusted. */
  save(shown: readonly FileReview[]): void
  remove(): void
}

export function reviewedFiles(home: string, root: string): Reviewed {
  const file = join(home, '.holdfast', 'trusted', `${sha256(root).slice(0, 32)}.json`)
  const stored = readStored(file)
  return {
    review(hooks) {
      const paths = new Set(
        hooks.flatMap(hook => [...(hook.file === null ? [] : [hook.file]), ...hook.covered.map(pathOf)]),
      )
      return [...paths].flatMap(path => {
        const after = contentOf(path)
        const before = stored?.[relative(root, path)] ?? null
        // Trust covers names of files that do not exist, too.
        if (!after && !before) return []
        return { path, before, after, state: stateOf(before, after, stored !== null) }
      })
    },
    save(shown) {
      const next: Record<string, Content> = { ...stored }
      for (const { path, after } of shown) {
        const name = relative(root, path)
        if (after) next[name] = after
        else delete next[name]
      }
      const text = JSON.stringify({ root, files: next })
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
        if (text.length <= LARGEST_STORE) replace(file, Buffer.from(text), 0o600)
        else rmSync(file, { force: true })
      } catch {
        // The next review shows contents instead of changes.
      }
    },
    remove: () => rmSync(file, { force: true }),
  }
}

const pathOf = ({ path }: { readonly path: string }): string => path

function stateOf(before: Content | null, after: Content | null, isStored: boolean): FileReview['state'] {
  if (!after) return 'removed'
  if (!before) return isStored ? 'new' : 'unknown'
  if (after.sha256 === '' || before.sha256 === '') return 'unknown'
  return before.sha256 === after.sha256 ? 'same' : 'changed'
}

function contentOf(path: string): Content | null {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return null
    if (stats.size > LARGEST_FILE) return { bytes: stats.size, text: null, sha256: '' }
    const data = readFileSync(path)
    const text = data.length <= LARGEST_TEXT ? data.toString('utf8') : '\0'
    // Bytes that are not UTF-8 become this character.
    return { bytes: data.length, text: /[\0\ufffd]/.test(text) ? null : text, sha256: sha256(data) }
  } catch {
    return null
  }
}

/** Null if nothing is stored that can be read. */
function readStored(file: string): StoredReview | null {
  try {
    if (statSync(file).size > 2 * LARGEST_STORE) return null
    const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: StoredReview }
    return Object.values(files).every(isContent) ? files : null
  } catch {
    return null
  }
}

const isContent = (value: unknown): value is Content => {
  const { bytes, text, sha256 } = (value ?? {}) as Partial<Content>
  return (
    typeof bytes === 'number' && typeof sha256 === 'string' && (text === null || typeof text === 'string')
  )
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

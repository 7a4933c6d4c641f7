// The bytes of a settings file before holdfast was installed in it.

import type { Bridge } from '@holdfast/hooks/bridges'
import type { Before } from '../edit/change.js'
import { hashOf, type Stored, stored, type WrittenFile } from '../edit/journal.js'
import { withoutOurs } from './entries.js'
import type { Place } from './place.js'

export interface Original {
  readonly stored: Stored
  readonly file: WrittenFile
  /** Null if there was no file. */
  readonly text: string | null
}

/** The jobs that wrote this file, oldest first. */
export const jobsOf = ({ journal }: Place, path: string): Stored[] =>
  stored(journal).filter(
    ({ entry }) => entry.kind === 'install' && entry.files.some(one => one.path === path),
  )

/** Undefined if the file was changed since, or if it had entries of holdfast before that job. */
export function originalOf(place: Place, path: string, { bytes }: Before): Original | undefined {
  const last = jobsOf(place, path).at(-1)
  const file = last?.entry.files.find(one => one.path === path)
  if (!last || !file || file.after !== hashOf(bytes)) return undefined
  const text = file.before && Buffer.from(file.before.base64, 'base64').toString('utf8')
  return text === null || isClean(path, text, place.bridge) ? { stored: last, file, text } : undefined
}

const isClean = (path: string, text: string, bridge: Bridge): boolean =>
  withoutOurs(path, text, bridge) === undefined

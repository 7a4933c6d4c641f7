// The changes of a job for the user: a row for each file, and added lines as a small diff.

import { dirname } from 'node:path'
import type { Change } from '../edit/change.js'
import type { DiffLine } from '../edit/diff.js'
import { shortPath } from './place.js'
import { type Row, renderEach } from './rows.js'
import type { Screen } from './terminal.js'
import { shorten, visible } from './text.js'
import { count } from './words.js'

export interface FileRow {
  readonly word: string
  readonly path: string
  readonly note?: string
  /** Shown below the row. */
  readonly diff?: readonly DiffLine[]
}

export function fileRows(files: readonly FileRow[], screen: Screen): string[] {
  const all = folded(files)
  const rows = all.map(
    ({ word, path, note = '' }): Row => ({
      cells: [{ text: word, style: styleOf(word, screen) }, { text: shortPath(path, screen) }],
      text: { text: note, style: screen.dim },
    }),
  )
  const rendered = renderEach(rows, [{ least: 6 }, {}], screen.columns)
  return all.flatMap(({ diff = [] }, index) => [...rendered[index]!, ...diffLines(diff, screen)])
}

/** The files of a library are shown as one row. */
const MOST_OF_A_FOLDER = 5

function folded(files: readonly FileRow[]): FileRow[] {
  const likeIt = ({ word, path }: FileRow) =>
    files.filter(other => other.word === word && dirname(other.path) === dirname(path))
  return files.flatMap(file => {
    const alike = likeIt(file)
    if (alike.length <= MOST_OF_A_FOLDER) return [file]
    const [first] = alike
    return file === first ? [{ ...file, path: dirname(file.path), note: count(alike.length, 'file') }] : []
  })
}

const styleOf = (word: string, { green, amber, dim }: Screen) =>
  word === 'keep' || word === 'gone' ? dim : word === 'left' ? amber : green

export function changeRow({ path, before, after, mode }: Change, diff: readonly DiffLine[] = []): FileRow {
  const lines = count(after.toString('utf8').trimEnd().split('\n').length, 'line')
  return {
    word: before ? 'change' : 'create',
    path,
    note: before ? '' : `${lines}${(mode & 0o111) === 0 ? '' : ', executable'}`,
    diff,
  }
}

const INDENT = ' '.repeat(10)

const diffLines = (diff: readonly DiffLine[], { columns, green, red, dim }: Screen): string[] => {
  const style = { '+': green, '-': red, ' ': dim }
  return diff.map(({ mark, text }) => {
    const line = `${mark} ${visible(text.replaceAll('\t', '  '))}`
    return `${INDENT}${style[mark](shorten(line, columns - INDENT.length))}`.trimEnd()
  })
}

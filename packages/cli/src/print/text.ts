// Text of other programs, made safe to print. Output of a hook or a file must not move the cursor, change colours or
// imitate output of holdfast.

import measure from 'fast-string-truncated-width'

/** Control characters, line separators, and marks that reorder or hide text. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x1b': '\\e' }

const shown = (character: string) =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Shows every character, on one line: for commands, names and paths. */
export const visible = (text: string): string => text.replace(HIDDEN, shown)

/** Complete colour and other terminal sequences. */
const SEQUENCES =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-Z\\^-~]/g

/** Text of a hook as lines: terminal sequences are removed, other hidden characters are shown. */
export const lines = (text: string): string[] =>
  text
    .replace(SEQUENCES, '')
    .split(/\r\n|[\n\r]/)
    .map(line => visible(line.replaceAll('\t', '    ')).trimEnd())

export const oneLine = (text: string): string =>
  lines(text)
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' ')

const ASCII = /^[ -~]*$/

/** The number of columns that the text takes. */
export const width = (text: string): number => (ASCII.test(text) ? text.length : measure(text).width)

export const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)))
export const padLeft = (text: string, to: number): string => ' '.repeat(Math.max(0, to - width(text))) + text

/** Shortened to this width, with a mark for the missing part. */
export function shorten(text: string, to: number): string {
  if (ASCII.test(text) && text.length <= to) return text
  const { ellipsed, index } = measure(text, { limit: to, ellipsis: '…', ellipsisWidth: 1 })
  return ellipsed ? `${text.slice(0, index).trimEnd()}…` : text
}

/** The width for layout: a measured time counts as three digits, so that line breaks do not depend on it. */
export const layoutWidth = (text: string): number =>
  width(text.replace(/<?\d+(?:\.\d+)? m?s\b/g, time => time.padStart(6)))

/** Broken at spaces, but not inside a time. A word longer than a line stays intact, because it may be a link. */
export function wrap(text: string, to: number): string[] {
  const out: string[] = []
  let line = ''
  for (const word of text.split(/ (?!(?<=\d )m?s\b)/)) {
    if (line !== '' && layoutWidth(`${line} ${word}`) > to) {
      out.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  out.push(line)
  return out
}

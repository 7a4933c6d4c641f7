// Text of others, made safe to print. What a hook or a file says must not move the cursor, change colours or look
// like a line of ours.

/** Control characters, line separators, and marks that reorder or hide text. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\x1b': '\\e' }

const shown = (character: string) =>
  NAMED[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/** Everything that is there, on one line: for commands, names and paths, where nothing may hide. */
export const visible = (text: string): string => text.replace(HIDDEN, shown)

/** Colours and other terminal sequences, whole. */
const SEQUENCES =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-Z\\^-~]/g

/** What somebody wrote, as lines: terminal sequences are left out, what else is hidden is shown. */
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
// In functions: patterns of Unicode take long to parse, and few texts need them.
const isZeroWidth = (character: string) => /^[\p{Mn}\p{Me}\p{Cf}]$/u.test(character)
const isDoubleWidth = (character: string) =>
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u.test(
    character,
  )

const cells = (character: string) => (isZeroWidth(character) ? 0 : isDoubleWidth(character) ? 2 : 1)

/** How many columns the text takes. */
export function width(text: string): number {
  if (ASCII.test(text)) return text.length
  let sum = 0
  for (const character of text) sum += cells(character)
  return sum
}

export const pad = (text: string, to: number): string => text + ' '.repeat(Math.max(0, to - width(text)))
export const padLeft = (text: string, to: number): string => ' '.repeat(Math.max(0, to - width(text))) + text

/** Not longer than that; what is left out is marked. */
export function shorten(text: string, to: number): string {
  if (width(text) <= to) return text
  let out = ''
  let used = 0
  for (const character of text) {
    used += cells(character)
    if (used > to - 1) break
    out += character
  }
  return `${out.trimEnd()}…`
}

/** The width for layout: a measured time counts as if it had three digits, so that no line break depends on it. */
export const layoutWidth = (text: string): number =>
  width(text.replace(/<?\d+(?:\.\d+)? m?s\b/g, time => time.padStart(6)))

/** Broken at spaces, but not inside a time. A word that is longer than a line is not broken: it may be a link. */
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

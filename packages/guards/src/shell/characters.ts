// Characters that make a command look different from what runs: control characters, invisible and bidirectional ones, and
// letters of two scripts in one host or program.

export function hidesCharacters(command: string): boolean {
  for (const letter of command) if (isHidden(letter.codePointAt(0)!)) return true
  return /\r(?!\n|$)/.test(command) || (/[^ -~\s]/.test(command) && LOOKALIKES.some(one => one.test(command)))
}

/** Tab, line feed and carriage return are judged apart. A joiner belongs to emoji. */
const isHidden = (code: number): boolean =>
  (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) ||
  code === 0x7f ||
  HIDDEN.some(([first, last]) => code >= first && code <= last)

const HIDDEN: readonly (readonly [number, number])[] = [
  [0x80, 0x9f],
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
]

const FOREIGN = '\\u0370-\\u03ff\\u0400-\\u052f\\u0530-\\u058f\\u13a0-\\u13ff'
const LOOKALIKES = [
  // A label of a host such as gіthub.com, with a Cyrillic letter.
  new RegExp(`(?://|@|\\.)(?=[^./\\s:]*[a-z])(?=[^./\\s:]*[${FOREIGN}])[^./\\s:]+(?=[./:\\s]|$)`, 'iu'),
  // A program, before its options or operands.
  new RegExp(
    `(?:^|[;&|(]\\s*)(?=[\\w./-]*[${FOREIGN}])(?=[${FOREIGN}./-]*[a-z])[\\w./${FOREIGN}-]+\\s`,
    'iu',
  ),
]

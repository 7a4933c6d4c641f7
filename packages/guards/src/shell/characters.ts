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
  HIDDEN.some(([first, last]) => code >= first! && code <= last!)

const HIDDEN: readonly (readonly number[])[] =
  '80-9f ad-ad 34f-34f 115f-1160 17b4-17b5 180e-180e 200b-200c 200e-200f 2028-202e 2060-206f 3164-3164 feff-feff ffa0-ffa0 fff9-fffb'
    .split(' ')
    .map(range => range.split('-').map(code => Number.parseInt(code, 16)))

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

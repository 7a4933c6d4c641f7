// Text from elsewhere with its invisible characters escaped.

const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g
/** Control characters, and those that change the direction of the text. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

const escaped = (text: string) =>
  text.replace(INVISIBLE, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Several lines: terminal colours are removed, tabs and line breaks stay. */
export const lines = (text: string): string => escaped(text.replace(ANSI, '').replaceAll('\r\n', '\n'))

/** One line. */
export const line = (text: string): string => lines(text).replace(/\s*\n\s*/g, ' ⏎ ')

/** a, b and c */
export const listWords = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

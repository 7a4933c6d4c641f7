// Properties of the output: its width, whether it has colours, and the base of relative paths.

import { fstatSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { styleText } from 'node:util'

export interface Paint {
  red(text: string): string
  amber(text: string): string
  green(text: string): string
  dim(text: string): string
  bold(text: string): string
}

export interface Screen extends Paint {
  readonly columns: number
  readonly cwd: string
  readonly home: string
}

const WIDTH_WITHOUT_TERMINAL = 100
const NARROWEST = 40

export const isNarrow = ({ columns }: Pick<Screen, 'columns'>): boolean => columns < 80

export function screen(choice: boolean | undefined, cwd: string): Screen {
  // ~ is the home folder of the user's shell, whatever --home says.
  return { ...paint(choice ?? wantsColor()), columns: columns(), cwd, home: homedir() }
}

/** For files: no colours, and a readable width. */
export const plainScreen = (cwd: string): Screen => ({
  ...paint(false),
  columns: WIDTH_WITHOUT_TERMINAL,
  cwd,
  home: homedir(),
})

/** https://no-color.org: set and not empty; FORCE_COLOR is for logs that show colours without being terminals. */
function wantsColor(): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return TERM !== 'dumb' && isTerminal()
}

/** Checks the file descriptor first: the terminal modules take milliseconds to load, and a pipe does not need them. */
export function isTerminal(descriptor: 0 | 1 = 1): boolean {
  try {
    const stream = () => (descriptor === 0 ? process.stdin : process.stdout)
    return fstatSync(descriptor).isCharacterDevice() && stream().isTTY === true
  } catch {
    return false
  }
}

function columns(): number {
  const known = isTerminal() ? process.stdout.columns : Number(process.env.COLUMNS)
  return Math.max(NARROWEST, Number.isInteger(known) && known > 0 ? known : WIDTH_WITHOUT_TERMINAL)
}

function paint(colored: boolean): Paint {
  const style = (format: 'red' | 'yellow' | 'green' | 'dim' | 'bold') => (text: string) =>
    // Whether to colour is decided above, for --color and files too.
    colored && text !== '' ? styleText(format, text, { validateStream: false }) : text
  return {
    red: style('red'),
    amber: style('yellow'),
    green: style('green'),
    dim: style('dim'),
    bold: style('bold'),
  }
}

/** One write. A closed pipe (`| head -1`) is not an error; returns whether the reader still reads. */
export function print(text: string): boolean {
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // The pipe is full and non-blocking; the stream waits for it.
      if (code === 'EPIPE') return false
      if (code !== 'EAGAIN') throw error
      writeLater(bytes)
      return true
    }
  }
  return true
}

function writeLater(bytes: Buffer): void {
  process.stdout.on('error', () => {})
  process.stdout.write(bytes)
}

/** One line for a pipe, indented for a terminal. Control characters are escaped. */
export function printJson(value: unknown): void {
  const text = JSON.stringify(value, null, isTerminal() ? 2 : undefined)
  print(`${text.replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)}\n`)
}

/** JSON on one line. */
export const jsonLine = (value: unknown): string =>
  `${JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029]/g, escaped)}\n`

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

export function printError(text: string): void {
  try {
    writeSync(2, text)
  } catch {
    // the reader has closed
  }
}

// A call of a program, as the reader finds it and rules judge it.

/** Stands for a part of a word that is not known before the command runs. */
export const UNKNOWN = '\0'

/** A list of words that nobody knows, as in `xargs rm < list`. */
export const UNKNOWN_LIST = '\0\0'

export interface Word {
  /** With quotes and expansions resolved. */
  readonly text: string
  readonly isKnown: boolean
  /** All of it was in quotes, so `*`, `?` and `~` stand for themselves. */
  readonly isQuoted?: boolean
}

export interface Redirect {
  readonly operator: string
  readonly target: Word
  /** The number before the operator. */
  readonly descriptor?: number
}

export interface Call {
  /** The program, in lower case and without its folder. */
  readonly name: string
  /** The program as it is written. */
  readonly path?: string
  readonly args: readonly Word[]
  /** `NAME=value` in front of it. */
  readonly assignments: readonly string[]
  readonly redirects: readonly Redirect[]
  /** Variables in its words whose value is not known. */
  readonly credentials?: readonly string[]
  /** The calls whose output it reads. */
  readonly from: readonly Call[]
  /** The text that it reads on stdin, if it is known. */
  readonly input: string | undefined
  /** The folder in which it runs, if it is known. */
  readonly cwd: string | undefined
  /** Runs on another machine or in a container. */
  readonly isRemote: boolean
  /** Its output becomes a part of another command. */
  readonly isSubstituted: boolean
}

/** The stdin of a command: the calls that write it, and its text if that is known. */
export interface Input {
  readonly from: readonly Call[]
  readonly text: string | undefined
}

export const NO_INPUT: Input = { from: [], text: undefined }

/** Lower case, because macOS and Windows find programs in any case. */
export const programOf = (text: string): string =>
  text
    .replaceAll(UNKNOWN, '')
    .replace(/^.*[/\\]/, '')
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|ps1)$/, '')

const SHELLS = /^(?:ba|z|da|k|mk|a|fi|c|tc|pw|power)?sh(?:ell)?$/

export const isShell = (name: string): boolean => SHELLS.test(name)

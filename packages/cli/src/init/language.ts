// A first hook in the language that the user chose.

import type { Job } from './job.js'
import { pythonHook } from './python.js'
import { shHook } from './sh.js'
import { typescriptHook } from './typescript.js'

export interface NewFile {
  /** Relative to the folder of the scripts. */
  readonly name: string
  readonly text: string | Buffer
  /** Part of a library; it may exist already, in another version. */
  readonly vendored?: true
}

export interface Hook {
  readonly files: readonly NewFile[]
  /** The file that is started. */
  readonly script: string
  command(path: string): string
}

/** `target` is the folder that the files will be in. */
type Writer = (name: string, jobs: readonly Job[], target: string) => Hook | Promise<Hook>

const WRITERS = {
  bash: shHook,
  python: pythonHook,
  typescript: typescriptHook,
} as const satisfies Record<string, Writer>

export type Language = keyof typeof WRITERS
export const LANGUAGES = Object.keys(WRITERS) as Language[]

export const LANGUAGE_WORDS: Readonly<Record<Language, string>> = {
  bash: 'a shell script; reads JSON with jq, python3 or node, whichever is installed',
  python: 'a Python script with the library beside it; needs python3',
  typescript: 'typed source, and one bundled file for node',
}

export const writeHook = async (
  language: Language,
  name: string,
  jobs: readonly Job[],
  target: string,
): Promise<Hook> => WRITERS[language](name, jobs, target)

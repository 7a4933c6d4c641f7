// A first hook in the language of the person's choice.

import type { Job } from './job.js'
import { pythonHook } from './python.js'
import { shHook } from './sh.js'
import { typescriptHook } from './typescript.js'

export interface NewFile {
  /** From the folder of the scripts. */
  readonly name: string
  readonly text: string | Buffer
  /** Comes along with others and may be there already, in another version. */
  readonly vendored?: true
}

export interface Hook {
  readonly files: readonly NewFile[]
  /** The one that is started. */
  readonly script: string
  command(path: string): string
}

/** `target` is the folder where the files will stand. */
type Writer = (name: string, jobs: readonly Job[], target: string) => Hook | Promise<Hook>

const WRITERS = {
  bash: shHook,
  python: pythonHook,
  typescript: typescriptHook,
} as const satisfies Record<string, Writer>

export type Language = keyof typeof WRITERS
export const LANGUAGES = Object.keys(WRITERS) as Language[]

export const LANGUAGE_WORDS: Readonly<Record<Language, string>> = {
  bash: 'a shell script; reads JSON with jq, python3 or node, whichever is there',
  python: 'a Python script with the library beside it; needs python3',
  typescript: 'typed source, and one bundled file for node',
}

export const writeHook = async (
  language: Language,
  name: string,
  jobs: readonly Job[],
  target: string,
): Promise<Hook> => WRITERS[language](name, jobs, target)

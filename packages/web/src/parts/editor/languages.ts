// Each language is loaded with the first text in it.

import type { Extension } from '@codemirror/state'

export type LanguageName = 'json' | 'js' | 'ts' | 'py' | 'sh' | ''

const LOADERS: Readonly<Record<Exclude<LanguageName, ''>, () => Promise<Extension>>> = {
  // hooks.json can contain comments, which the JavaScript grammar allows beside quoted names.
  json: async () => (await import('./json.js')).jsonc(),
  js: async () => (await import('@codemirror/lang-javascript')).javascript(),
  ts: async () => (await import('@codemirror/lang-javascript')).javascript({ typescript: true }),
  py: async () => (await import('@codemirror/lang-python')).python(),
  sh: async () => {
    const [{ StreamLanguage }, { shell }] = await Promise.all([
      import('@codemirror/language'),
      import('@codemirror/legacy-modes/mode/shell'),
    ])
    return StreamLanguage.define(shell)
  },
}

/** On failure the text is shown without colours. */
export const loadLanguage = (name: LanguageName): Promise<Extension> =>
  Promise.resolve(name === '' ? [] : (LOADERS[name]?.() ?? [])).catch(() => [])

/** By the extension of a file name. */
export function languageOf(file: string): LanguageName {
  const ending = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? ''
  return ENDINGS[ending] ?? ''
}
const ENDINGS: Readonly<Record<string, LanguageName>> = {
  json: 'json',
  jsonc: 'json',
  js: 'js',
  mjs: 'js',
  cjs: 'js',
  ts: 'ts',
  mts: 'ts',
  cts: 'ts',
  py: 'py',
  sh: 'sh',
  bash: 'sh',
  zsh: 'sh',
}

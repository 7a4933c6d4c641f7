// Commands of the shell that change what follows: folders, variables, positional parameters, aliases.

import type { Input, Word } from './call.js'
import { formatted } from './expansion.js'
import { originOf, unknownFrom } from './origins.js'
import type { Words } from './words.js'

/** A script that the command runs, if it does. Undefined if this is no such command, or if it changes nothing. */
export function runBuiltin(
  name: string,
  args: readonly Word[],
  input: Input,
  words: Words,
): { script?: string; input?: Input } | undefined {
  const texts = args.map(({ text }) => text)
  const { scope, references, fixed } = words
  const { variables, arrays } = scope
  switch (name) {
    case 'cd':
    case 'pushd':
    case 'set-location':
      scope.cwd = folderOf(
        words,
        args.find(({ text }) => !/^-[LPe@]*$/.test(text)),
      )
      return {}
    case 'export':
    case 'declare':
    case 'local':
    case 'readonly':
    case 'typeset':
      if (texts.every(text => /^-[px]+$/.test(text))) return undefined
      for (const text of texts) {
        const [, variable, value] = /^(\w+)=([\s\S]*)$/.exec(text) ?? []
        if (variable && texts.some(option => /^-\w*n/.test(option))) references.set(variable, value!)
        else if (variable && !fixed.has(variable)) variables.set(variable, value!)
        if (name === 'readonly' || texts.some(option => /^-\w*r/.test(option))) fixed.add(variable ?? text)
      }
      return {}
    case 'set': {
      const start = texts[0] === '--' ? 1 : texts.findIndex(text => !/^[-+]/.test(text))
      if (texts.length === 0) return undefined
      if (start >= 0) words.setPositional(texts.slice(start))
      return {}
    }
    case 'read':
    case 'mapfile':
    case 'readarray': {
      const names = texts.filter(
        (text, index) => /^\w+$/.test(text) && !/^-\w*[dnNptiu]$/.test(texts[index - 1] ?? ''),
      )
      const lines = input.text?.split('\n').filter(line => line !== '')
      const value = lines?.[0] ?? unknownFrom(originOf(input.from))
      for (const variable of names) {
        variables.set(variable, value)
        if (name !== 'read') arrays.set(variable, lines ?? [value])
        if (lines && lines.length > 1) words.alternatives.set(variable, new Set(lines.slice(0, 8)))
      }
      return {}
    }
    case 'printf':
      if (texts[0] !== '-v' || texts[1] === undefined) return undefined
      variables.set(texts[1], formatted(texts[2] ?? '', texts.slice(3)))
      return {}
    case 'alias':
      for (const text of texts) {
        const [, alias, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
        if (alias) words.aliases.set(alias, value!)
      }
      return {}
    case 'hash': {
      const at = texts.indexOf('-p')
      if (at >= 0 && texts[at + 2]) words.aliases.set(texts[at + 2]!, texts[at + 1]!)
      return {}
    }
    case 'eval':
      return { script: texts.join(' '), input }
    case 'trap':
      return args.length > 1 ? { script: texts[0]! } : {}
    case 'unset':
      for (const text of texts.filter(text => !fixed.has(text))) {
        variables.delete(text)
        arrays.delete(text)
      }
      return {}
    default:
      return undefined
  }
}

/** The folder after a change to this one; undefined if it is not known. */
export function folderOf(words: Words, word: Word | undefined): string | undefined {
  const { cwd } = words.scope
  if (!word) return words.home
  if (!word.isKnown) return undefined
  if (/^[/~]/.test(word.text)) return word.text
  return cwd === undefined ? undefined : `${cwd}/${word.text}`
}

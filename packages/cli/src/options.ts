// The command line: what may stand on it, and what to say about the rest.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '@holdfast/hooks'
import { Complaint } from './complaint.js'

/** flag: present or not. value: one word follows. list: may be given several times. */
export type OptionKind = 'flag' | 'value' | 'list'
export type OptionTable = Readonly<Record<string, OptionKind>>

export const OUTPUT = { json: 'flag', color: 'flag', 'no-color': 'flag', help: 'flag' } as const

/** What check, list, fire, explain and trust share. */
export const SHARED = {
  root: 'list',
  home: 'value',
  enterprise: 'value',
  profile: 'value',
  'trust-all': 'flag',
  claude: 'flag',
  plugin: 'list',
  required: 'list',
  ...OUTPUT,
} as const satisfies OptionTable

/** Both bundles read them: one prints schemas, the other puts them where editors look. */
export const SCHEMA_OPTIONS = {
  install: 'flag',
  undo: 'flag',
  'dry-run': 'flag',
  root: 'value',
  home: 'value',
  ...OUTPUT,
} as const satisfies OptionTable

/** Where an empty word would silently mean the current folder. */
const PLACES: Readonly<Record<string, true>> = {
  root: true,
  home: true,
  enterprise: true,
  'enterprise-dir': true,
  from: true,
  plugin: true,
  payload: true,
}

export interface Given {
  readonly positionals: readonly string[]
  has(name: string): boolean
  value(name: string): string | undefined
  list(name: string): readonly string[]
  /** true, false, or nothing said. */
  readonly color: boolean | undefined
}

/** `about` may know better what is wrong with an option that the table does not have. */
export function parse(
  command: string,
  argv: readonly string[],
  table: OptionTable,
  about: (name: string) => string | undefined = () => undefined,
): Given {
  const values = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of tokens(argv, table)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const kind = Object.hasOwn(table, name) && rawName.startsWith('--') ? table[name] : undefined
    if (rawName === '-h') values.set('help', [''])
    else if (!kind) throw new Complaint(about(name) ?? unknownOption(command, rawName, table))
    else if (kind === 'flag') {
      if (value !== undefined) throw new Complaint(`--${name} takes no value.`)
      values.set(name, [''])
    } else {
      const isForgotten =
        !token.inlineValue && value?.startsWith('--') && Object.hasOwn(table, value.slice(2))
      if (value === undefined || isForgotten) throw new Complaint(`--${name} needs a value.`)
      if (value === '' && Object.hasOwn(PLACES, name))
        throw new Complaint(`--${name} is empty. Give it a value.`)
      const before = values.get(name)
      if (before && kind === 'value') throw new Complaint(`--${name} is given twice.`)
      values.set(name, [...(before ?? []), value])
    }
  }
  return {
    positionals,
    has: name => values.has(name),
    value: name => values.get(name)?.[0],
    list: name => values.get(name) ?? [],
    color: values.has('no-color') ? false : values.has('color') ? true : undefined,
  }
}

function tokens(argv: readonly string[], table: OptionTable) {
  const options: ParseArgsConfig['options'] = {}
  for (const [name, kind] of Object.entries(table))
    options[name] = { type: kind === 'flag' ? 'boolean' : 'string' }
  // Not strict: its own words for a wrong call know nothing of what was probably meant.
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

function unknownOption(command: string, rawName: string, table: OptionTable): string {
  const meant = rawName.startsWith('--') ? nearest(rawName.slice(2), Object.keys(table)) : undefined
  const quotes = rawName.startsWith('--') ? '' : 'Put values with spaces in quotes. '
  const next = meant ? `Did you mean --${meant}?` : `${quotes}See: holdfast ${command} --help`
  return `${command} has no option ${rawName}. ${next}`
}

/** A word that must be one of several. */
export function known<T extends string>(what: string, word: string, words: readonly T[]): T {
  if ((words as readonly string[]).includes(word)) return word as T
  const meant = nearest(word, words)
  const next = meant ? `Did you mean ${meant}?` : `Known: ${words.join(', ')}.`
  throw new Complaint(`There is no ${what} "${word}". ${next}`)
}

export function noMore(command: string, positionals: readonly string[], allowed: number): void {
  const extra = positionals[allowed]
  if (extra === undefined) return
  throw new Complaint(
    `${command} does not know what to do with "${extra}". Put values with spaces in quotes; see: holdfast ${command} --help`,
  )
}

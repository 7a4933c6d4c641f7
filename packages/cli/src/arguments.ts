// The options and arguments of a call, parsed by the table of the command.

import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '@holdfast/hooks'
import { UsageError } from './usage-error.js'

export interface Option {
  readonly summary: string
  /** The placeholder of its value, such as FILE. A flag has none. */
  readonly value?: string
  /** The value if the option is not given. */
  readonly default?: string
  /** In words, where the default depends on the machine or the folder. */
  readonly defaultText?: string
  /** The values that are valid. */
  readonly values?: readonly string[]
  /** What one of `values` is called in an error message (default: the name of the option). */
  readonly noun?: string
  readonly isRepeatable?: true
  /** `--no-NAME` is valid, too. */
  readonly isNegatable?: true
  /** For tests: parsed, and not documented. */
  readonly isHidden?: true
}

export type OptionTable = Readonly<Record<string, Option>>

type Extra = Omit<Option, 'summary' | 'value'>

export const flag = (summary: string, extra: Extra = {}): Option => ({ summary, ...extra })
export const value = (placeholder: string, summary: string, extra: Extra = {}): Option => ({
  summary,
  value: placeholder,
  ...extra,
})
export const list = (placeholder: string, summary: string, extra: Extra = {}): Option => ({
  summary,
  value: placeholder,
  isRepeatable: true,
  ...extra,
})

export interface Given {
  readonly positionals: readonly string[]
  /** Whether the option is in the call. */
  has(name: string): boolean
  /** From the call, or the default. */
  value(name: string): string | undefined
  list(name: string): readonly string[]
  /** Undefined unless the option is in the call. */
  readonly color: boolean | undefined
}

/** `explain` may add to the message for an option that the table does not have. */
export function parse(
  command: string,
  argv: readonly string[],
  table: OptionTable,
  explain: (name: string) => string | undefined = () => undefined,
): Given {
  const values = new Map<string, string[]>()
  const positionals: string[] = []
  for (const token of tokensOf(argv, table)) {
    if (token.kind === 'positional') positionals.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    const [known, option] = rawName.startsWith('--') ? findOption(name, table) : []
    if (rawName === '-h' || rawName === '--help') values.set('help', [''])
    else if (!known || !option) throw new UsageError(explain(name) ?? unknownOption(command, rawName, table))
    else if (option.value === undefined) {
      if (value !== undefined) throw new UsageError(`--${name} takes no value.`)
      values.set(known, [name])
    } else {
      const isMissing =
        !token.inlineValue && value?.startsWith('--') && findOption(value.slice(2), table)[0] !== undefined
      if (value === undefined || isMissing) throw new UsageError(`--${name} needs a value.`)
      // An empty path would mean the current folder.
      if (value === '' && isPath(option)) throw new UsageError(`--${name} is empty. Give it a value.`)
      if (option.values) oneOf(option.noun ?? name, value, option.values)
      const before = values.get(name)
      if (before && !option.isRepeatable) throw new UsageError(`--${name} is given twice.`)
      values.set(name, [...(before ?? []), value])
    }
  }
  return {
    positionals,
    has: name => values.has(name),
    value: name => values.get(name)?.[0] ?? (Object.hasOwn(table, name) ? table[name]?.default : undefined),
    list: name => values.get(name) ?? [],
    color: values.has('color') ? values.get('color')![0] === 'color' : undefined,
  }
}

export const isPath = ({ value }: Option): boolean => value === 'FILE' || value === 'DIR'

/** The name in the table: `color` for `no-color`. */
function findOption(name: string, table: OptionTable): [string, Option] | [] {
  if (Object.hasOwn(table, name)) return [name, table[name]!]
  const positive = name.replace(/^no-/, '')
  const option = Object.hasOwn(table, positive) ? table[positive] : undefined
  return option?.isNegatable ? [positive, option] : []
}

/** All spellings of the options in the table. */
export const optionNames = (table: OptionTable): string[] => [
  ...Object.entries(table).flatMap(([name, { isNegatable, isHidden }]) =>
    isHidden ? [] : [name, ...(isNegatable ? [`no-${name}`] : [])],
  ),
  'help',
]

export function tokensOf(argv: readonly string[], table: OptionTable) {
  const options: ParseArgsConfig['options'] = {}
  for (const [name, { value }] of Object.entries(table))
    options[name] = { type: value === undefined ? 'boolean' : 'string' }
  // Not strict: its own errors have no suggestions.
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

function unknownOption(command: string, rawName: string, table: OptionTable): string {
  const meant = rawName.startsWith('--') ? nearest(rawName.slice(2), optionNames(table)) : undefined
  const quotes = rawName.startsWith('--') ? '' : 'Put values with spaces in quotes. '
  const next = meant ? `Did you mean --${meant}?` : `${quotes}See: holdfast ${command} --help`
  return `${command} has no option ${rawName}. ${next}`
}

/** A word that must be one of several. */
export function oneOf<T extends string>(noun: string, word: string, words: readonly T[]): T {
  if ((words as readonly string[]).includes(word)) return word as T
  const meant = nearest(word, words)
  const next = meant ? `Did you mean ${meant}?` : `Known: ${words.join(', ')}.`
  throw new UsageError(`There is no ${noun} "${word}". ${next}`)
}

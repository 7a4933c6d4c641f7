// A command is defined once: this definition generates parsing, help, the reference page and shell completion. table.ts
// lists all commands.

import { HooksError, nearest } from '@holdfast/hooks'
import { type Given, type OptionTable, oneOf, parse, tokensOf } from './arguments.js'
import { showHelp } from './load.js'
import { isUsageError, UsageError } from './usage-error.js'

export interface Command {
  readonly name: string
  /** Imperative, without a period. */
  readonly summary: string
  /** Paragraphs, separated by an empty line. */
  readonly description?: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly OptionSection[]
  /** Further explanations, below the options. */
  readonly sections?: readonly Section[]
  /** Code → meaning. */
  readonly exitCodes: Readonly<Record<number, string>>
  /** Complete command lines. */
  readonly examples: readonly string[]
  readonly subcommands?: readonly Command[]
  /** The subcommand of a call that names none. */
  readonly defaultSubcommand?: string
  /** The exit code of a wrong call (default: 1). */
  readonly usageErrorCode?: number
  /** For options that depend on the call: the table of the call, and the call as that table reads it. */
  readonly extend?: (argv: readonly string[], table: OptionTable) => ExtendedCall
  /** Resolves to the exit code. Absent if there are only subcommands. `rest` is what follows a lone `--`. */
  readonly run?: (given: Given, rest: readonly string[] | undefined) => Promise<number>
  /** Whether `--` ends the options and starts the command line of another program. */
  readonly takesCommandLine?: true
}

export interface Argument {
  readonly name: string
  readonly summary: string
  readonly isOptional?: true
  readonly isRepeatable?: true
  /** The values that are valid, for completion. */
  readonly values?: readonly string[]
}

export interface OptionSection {
  readonly title?: string
  readonly options: OptionTable
}

export interface Section {
  readonly title: string
  readonly text?: string
  /** Lines that are not wrapped. */
  readonly code?: string
  /** [term, meaning] */
  readonly rows?: readonly (readonly [string, string])[]
}

export interface ExtendedCall {
  readonly argv: readonly string[]
  readonly table: OptionTable
  /** The error message for an option that is not in the table. */
  readonly explain: (name: string) => string | undefined
}

export const optionsOf = ({ options = [] }: Command): OptionTable =>
  Object.assign({}, ...options.map(section => section.options))

/** `path` is what the user writes before the arguments, such as "keys sign". */
export async function runCommand(
  command: Command,
  argv: readonly string[],
  path = command.name,
): Promise<number> {
  const [subcommand, others] = chooseSubcommand(command, argv)
  if (subcommand) return runCommand(subcommand, others, `${path} ${subcommand.name}`)
  try {
    const end = command.takesCommandLine ? argv.indexOf('--') : -1
    const own = end === -1 ? argv : argv.slice(0, end)
    const table = optionsOf(command)
    const call = command.extend?.(own, table) ?? { argv: own, table, explain: () => undefined }
    const given = parse(path, call.argv, call.table, call.explain)
    if (given.has('help') || !command.run) return await showHelp(path.split(' '))
    mustFit(command, path, given.positionals)
    return await command.run(given, end === -1 ? undefined : argv.slice(end + 1))
  } catch (error) {
    const shown = asUsageError(error)
    if (command.usageErrorCode !== undefined && isUsageError(shown))
      process.exitCode ||= command.usageErrorCode
    throw shown
  }
}

/** The subcommand that the call names, or else the default, and the call without its name. */
function chooseSubcommand(
  { name, subcommands = [], defaultSubcommand, run }: Command,
  argv: readonly string[],
): [Command | undefined, readonly string[]] {
  const find = (word: string | undefined) => subcommands.find(one => one.name === word)
  const first = find(argv[0])
  if (first) return [first, argv.slice(1)]
  if (run || subcommands.length === 0) return [undefined, argv]
  const table: OptionTable = Object.assign({}, ...subcommands.map(optionsOf))
  const tokens = tokensOf(argv, table)
  const named = tokens.find(({ kind }) => kind === 'positional')
  if (named?.kind === 'positional') {
    const names = subcommands.map(one => one.name)
    return [find(oneOf(`${name} command`, named.value, names)), argv.toSpliced(named.index, 1)]
  }
  const wantsHelp = tokens.some(token => token.kind === 'option' && /^(?:-h|--help)$/.test(token.rawName))
  return [wantsHelp ? undefined : find(defaultSubcommand), argv]
}

function mustFit(command: Command, path: string, positionals: readonly string[]): void {
  const { arguments: wanted = [], subcommands = [], takesCommandLine, examples } = command
  const extra = wanted.some(one => one.isRepeatable) ? undefined : positionals[wanted.length]
  if (extra === undefined) return
  const meant = nearest(
    extra,
    subcommands.map(one => one.name),
  )
  const next = meant
    ? `Did you mean: holdfast ${path} ${meant}`
    : takesCommandLine
      ? `Put -- before the command line of the program: ${examples[0]}`
      : `Put values with spaces in quotes; see: holdfast ${path} --help`
  throw new UsageError(`Unexpected argument "${extra}". ${next}`)
}

/** Errors of the engine about wrong use are errors of the call. */
function asUsageError(error: unknown): unknown {
  if (!HooksError.isInstance(error)) return error
  if (error.code === 'use/aborted') return new UsageError('Interrupted; the hooks were ended.')
  return new UsageError(error.message.replace(/^\[[\w/-]+\] /, ''))
}

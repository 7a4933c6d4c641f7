// What a shell can complete after each command, from the definitions.

import { isPath, type Option } from '../arguments.js'
import { type Command, optionsOf } from '../command.js'
import { COMMANDS } from '../table.js'

/** A word with its explanation. */
export type Candidate = readonly [word: string, summary: string]

export interface Node {
  /** As typed after `holdfast`, such as "keys sign"; empty for `holdfast` itself. */
  readonly path: string
  /** Subcommands, or the values of an argument. */
  readonly words: readonly Candidate[]
  readonly takesFiles: boolean
  readonly options: readonly CompletedOption[]
}

export interface CompletedOption {
  readonly name: string
  readonly summary: string
  readonly value: 'none' | 'any' | 'file' | 'folder' | readonly string[]
}

/** All commands, below `holdfast` itself. */
export async function completionNodes(): Promise<Node[]> {
  const commands = await Promise.all(
    Object.values(COMMANDS).flatMap(group => Object.values(group).map(async load => (await load()).command)),
  )
  const names = commands.map(({ name, summary }): Candidate => [name, summary])
  const top: Node = {
    path: '',
    words: names,
    takesFiles: false,
    options: [flag('help', 'Show the help'), flag('version', 'Show the version')],
  }
  return [
    top,
    ...commands.flatMap(command => nodesOf(command, command.name === 'help' ? names : [], command.name)),
  ]
}

function nodesOf(command: Command, more: readonly Candidate[], path: string): Node[] {
  const { subcommands = [], arguments: wanted = [] } = command
  const values = wanted.flatMap(one => one.values ?? [])
  const table = command.extend?.([], optionsOf(command)).table ?? optionsOf(command)
  const options = Object.entries(table).filter(([, { isHidden }]) => !isHidden)
  return [
    {
      path,
      words: [
        ...subcommands.map(({ name, summary }): Candidate => [name, summary]),
        ...values.map((value): Candidate => [value, '']),
        ...more,
      ],
      takesFiles: wanted.some(({ name }) => name === 'file' || name === 'path'),
      options: [
        ...options.flatMap(([name, option]) => complete(name, option)),
        flag('help', 'Show the help'),
      ],
    },
    ...subcommands.flatMap(one => nodesOf(one, [], `${path} ${one.name}`)),
  ]
}

const flag = (name: string, summary: string): CompletedOption => ({
  name: `--${name}`,
  summary,
  value: 'none',
})

function complete(name: string, option: Option): CompletedOption[] {
  const { summary, values, value, isNegatable } = option
  if (value === undefined) return [flag(name, summary), ...(isNegatable ? [flag(`no-${name}`, summary)] : [])]
  const kind = values ?? (isPath(option) ? (value === 'DIR' ? 'folder' : 'file') : 'any')
  return [{ name: `--${name}`, summary, value: kind }]
}

import { describe, expect, it } from 'vitest'
import { parse } from './arguments.js'
import { type Command, optionsOf } from './command.js'
import { sectionsOf } from './help.js'
import { COMMANDS } from './table.js'

const rows = Object.values(COMMANDS).flatMap(commands => Object.entries(commands))
const commands = await Promise.all(
  rows.map(async ([name, load]) => ({ name, command: (await load()).command })),
)

interface Described {
  readonly path: string
  readonly command: Command
}

const withSubcommands = (path: string, command: Command): Described[] => [
  { path, command },
  ...(command.subcommands ?? []).flatMap(one => withSubcommands(`${path} ${one.name}`, one)),
]
const all = commands.flatMap(({ name, command }) => withSubcommands(name, command))

describe.each(all)('holdfast $path', ({ path, command }) => {
  it('has the name of its row, and a summary in the imperative', () => {
    expect(path.split(' ').at(-1)).toBe(command.name)
    expect(command.summary).toMatch(/^[A-Z][a-z]+,? .*[^.]$/)
  })

  it('explains each option, and says what is the default where there is a value', () => {
    for (const { options } of sectionsOf(command))
      for (const [name, { summary, values, default: preset }] of Object.entries(options)) {
        expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/)
        expect(summary).toMatch(/[^.]$/)
        if (values && preset !== undefined) expect(values).toContain(preset)
      }
  })

  it('can run, or has commands that can', () => {
    const { run, subcommands = [], defaultSubcommand } = command
    expect(run !== undefined || subcommands.length > 0).toBe(true)
    if (defaultSubcommand) expect(subcommands.map(({ name }) => name)).toContain(defaultSubcommand)
  })

  it('has examples that are valid calls', () => {
    expect(command.examples.length).toBeGreaterThan(0)
    for (const example of command.examples) expect(() => parseExample(example), example).not.toThrow()
  })
})

/** Parses the part of a command line that calls holdfast. */
function parseExample(line: string): void {
  const words = [...line.replace(/ > .*/, '').matchAll(/'([^']*)'|"([^"]*)"|[^\s'"]+/g)].map(
    ([word, one, two]) => one ?? two ?? word,
  )
  const [name = '', ...rest] = words.slice(words.lastIndexOf('holdfast') + 1)
  let command = commands.find(one => one.name === name)!.command
  for (;;) {
    const subcommand = command.subcommands?.find(one => one.name === rest[0])
    if (!subcommand) break
    command = subcommand
    rest.shift()
  }
  const argv = command.takesCommandLine && rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest
  const call = command.extend?.(argv, optionsOf(command)) ?? { argv, table: optionsOf(command) }
  const { positionals } = parse(name, call.argv, call.table)
  const { arguments: wanted = [] } = command
  if (!wanted.some(one => one.isRepeatable) && positionals.length > wanted.length)
    throw new Error(`too many arguments: ${positionals.join(' ')}`)
}

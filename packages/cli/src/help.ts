// The help of a command, from its definition.

import { type Option, type OptionTable, oneOf } from './arguments.js'
import type { Argument, Command, OptionSection } from './command.js'
import { print, screen as screenOf } from './print/terminal.js'
import { pad, width, wrap } from './print/text.js'
import { COMMANDS, findCommand } from './table.js'

/** `path` names a command, with the names of its subcommands; without a name, all commands are shown. */
export async function printHelp(path: readonly string[]): Promise<number> {
  const { columns, bold } = screenOf(undefined, '.')
  // Longer lines are hard to read.
  const lines = new Lines(Math.min(columns, 100), bold)
  if (path.length === 0) await describeAll(lines)
  else {
    const { command, full } = await commandAt(path)
    describe(command, full, lines)
  }
  print(`\n${lines.text()}\n`)
  return 0
}

async function commandAt([name = '', ...rest]: readonly string[]) {
  let { command } = await findCommand(name)()
  const full = [command.name]
  for (const word of rest) {
    const { subcommands = [] } = command
    if (subcommands.length === 0) break
    const names = subcommands.map(one => one.name)
    command = subcommands.find(one => one.name === oneOf(`${full.join(' ')} command`, word, names))!
    full.push(command.name)
  }
  return { command, full: full.join(' ') }
}

async function describeAll(lines: Lines): Promise<void> {
  lines.paragraph('Hooks for coding agents: an event goes in, hooks run, one verdict comes out.')
  lines.title('Usage')
  lines.code('holdfast <command> [options]')
  for (const [group, commands] of Object.entries(COMMANDS)) {
    const loaded = await Promise.all(Object.values(commands).map(load => load()))
    lines.title(group)
    lines.rows(
      loaded.map(({ command }) => [command.name, command.summary]),
      WIDEST_NAME,
    )
  }
  lines.title('Options')
  lines.rows(
    [
      ['--help', 'Show the help of a command'],
      ['--version', 'Show the version'],
    ],
    WIDEST_NAME,
  )
  lines.title('Examples')
  lines.code('holdfast init', 'holdfast fire beforeShellExecution --command "git push --force"')
}

/** All groups of commands are aligned. */
const WIDEST_NAME = 11

function describe(command: Command, path: string, lines: Lines): void {
  const { subcommands = [], sections = [], exitCodes, examples } = command
  lines.paragraph(`${command.summary}.`)
  lines.title('Usage')
  lines.code(...usageOf(command, path))
  for (const paragraph of command.description?.split('\n\n') ?? []) lines.paragraph(paragraph)
  if (subcommands.length > 0) {
    lines.title('Commands')
    lines.rows(
      subcommands.map(one => [
        `${[one.name, ...(one.arguments ?? []).map(argumentText)].join(' ')}`,
        `${one.summary}${one.name === command.defaultSubcommand ? ' (default)' : ''}`,
      ]),
    )
  }
  if (command.arguments?.length) {
    lines.title('Arguments')
    lines.rows(command.arguments.map(one => [argumentText(one), one.summary]))
  }
  const optionSections = sectionsOf(command)
  const widest = Math.max(
    ...optionSections.flatMap(({ options }) => optionRows(options).map(([term]) => width(term))),
  )
  for (const { title = 'Options', options } of optionSections) {
    lines.title(title)
    lines.rows(optionRows(options), widest)
  }
  for (const { title, text, code, rows } of sections) {
    lines.title(title)
    if (text) lines.indented(text)
    if (code) lines.code(...code.split('\n'))
    if (rows) lines.rows(rows)
  }
  const codes = Object.entries(exitCodes)
  if (codes.length > 0) {
    lines.title('Exit codes')
    lines.rows(codes)
  }
  lines.title('Examples')
  lines.code(...examples)
  if (subcommands.length > 0)
    lines.paragraph(`Help for one of the commands: holdfast ${path} <command> --help`)
}

/** `--help` is an option of every command. */
export const sectionsOf = ({ options = [] }: Command): OptionSection[] => {
  const shown = options.filter(section => optionRows(section.options).length > 0)
  const last = shown.at(-1)
  const help = { help: { summary: 'show this help' } }
  return last
    ? [...shown.slice(0, -1), { ...last, options: { ...last.options, ...help } }]
    : [{ options: help }]
}

export const usageOf = (command: Command, path: string): string[] => {
  const { subcommands = [], run, takesCommandLine } = command
  const options = Object.keys(command.options ?? {}).length > 0 ? ['[options]'] : []
  const own = ['holdfast', path, ...(command.arguments ?? []).map(argumentText), ...options]
  return [
    ...(run ? [own.join(' ')] : []),
    ...(takesCommandLine ? [`holdfast ${path} [options] -- <program> [arguments]`] : []),
    ...(subcommands.length > 0 ? [`holdfast ${path} <command> [options]`] : []),
  ]
}

export const argumentText = ({ name, isOptional, isRepeatable }: Argument): string => {
  const text = `${name}${isRepeatable ? '\u2026' : ''}`
  return isOptional ? `[${text}]` : `<${text}>`
}

export const optionText = (name: string, { value, isNegatable }: Option): string =>
  `--${isNegatable ? '[no-]' : ''}${name}${value === undefined ? '' : ` ${value}`}`

export const optionRows = (options: OptionTable): [string, string][] =>
  Object.entries(options)
    .filter(([, { isHidden }]) => !isHidden)
    .map(([name, option]) => {
      return [optionText(name, option), describeOption(option)]
    })

export const describeOption = ({ summary, isRepeatable, default: own, defaultText = own }: Option): string =>
  `${summary}${isRepeatable ? '; can be repeated' : ''}${defaultText === undefined ? '' : ` (default: ${defaultText})`}`

const INDENT = 2
const GAP = 3
/** A longer term is on a line of its own. */
const WIDEST_TERM = 28

class Lines {
  private readonly lines: string[] = []

  constructor(
    private readonly columns: number,
    private readonly bold: (text: string) => string,
  ) {}

  paragraph(text: string): void {
    this.gap()
    this.add(text, INDENT)
  }

  title(text: string): void {
    this.gap()
    this.lines.push(`${' '.repeat(INDENT)}${this.bold(text)}`)
  }

  indented(text: string): void {
    this.add(text, 2 * INDENT)
  }

  code(...texts: readonly string[]): void {
    for (const text of texts) this.lines.push(`${' '.repeat(2 * INDENT)}${text}`)
  }

  rows(rows: readonly (readonly [string, string])[], least = 0): void {
    const widths = rows.map(([term]) => width(term)).filter(one => one <= WIDEST_TERM)
    const term = Math.min(WIDEST_TERM, Math.max(least, ...widths))
    for (const [name, text] of rows) {
      const start = 2 * INDENT + term + GAP
      const [first = '', ...rest] = wrap(text, this.columns - start)
      const isLong = width(name) > term
      if (isLong) this.lines.push(`${' '.repeat(2 * INDENT)}${name}`)
      const head = isLong ? ' '.repeat(start) : `${' '.repeat(2 * INDENT)}${pad(name, term + GAP)}`
      this.lines.push(`${head}${first}`.trimEnd(), ...rest.map(line => `${' '.repeat(start)}${line}`))
    }
  }

  text(): string {
    return `${this.lines.join('\n')}\n`
  }

  private gap(): void {
    if (this.lines.length > 0) this.lines.push('')
  }

  private add(text: string, indent: number): void {
    for (const line of wrap(text.replace(/\s+/g, ' ').trim(), this.columns - indent))
      this.lines.push(`${' '.repeat(indent)}${line}`)
  }
}

// The reference of the command, and the list of its commands in the README of the package.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from '../../packages/cli/src/command.js'
import { argumentText, describeOption, optionText, sectionsOf, usageOf } from '../../packages/cli/src/help.js'
import { COMMANDS } from '../../packages/cli/src/table.js'
import { code, fenced, page, table } from './markdown.js'

const FOLDER = 'docs/reference'
const README = 'packages/cli/README.md'

const groups = await Promise.all(
  Object.entries(COMMANDS).map(async ([title, commands]) => ({
    title,
    commands: await Promise.all(Object.values(commands).map(async load => (await load()).command)),
  })),
)

/** Path from the repository → content. */
export function cliPages(root: string): Map<string, string> {
  const files = new Map<string, string>()
  files.set(`${FOLDER}/cli.md`, indexPage())
  for (const { commands } of groups)
    for (const command of commands) files.set(`${FOLDER}/cli/${command.name}.md`, commandPage(command))
  files.set(README, withList(readFileSync(join(root, README), 'utf8')))
  return files
}

const indexPage = (): string =>
  page(
    '# Commands',
    'All commands of `holdfast`. `holdfast help <command>` shows the same in a terminal; `-h` is short for `--help`.',
    ...groups.flatMap(({ title, commands }) => [
      `## ${title}`,
      table(
        ['command', 'use it to'],
        commands.map(({ name, summary }) => [`[${code(name)}](cli/${name}.md)`, lowerFirst(summary)]),
      ),
    ]),
  )

const commandPage = (command: Command): string =>
  page(
    `# holdfast ${command.name}`,
    ...partsOf(command, command.name, '##'),
    ...(command.subcommands ?? []).flatMap(subcommand => {
      const path = `${command.name} ${subcommand.name}`
      return [`## holdfast ${path}`, ...partsOf(subcommand, path, '###')]
    }),
  )

function partsOf(command: Command, path: string, level: '##' | '###'): string[] {
  const { subcommands = [], sections = [] } = command
  return [
    `${escaped(command.summary)}.`,
    fenced('sh', usageOf(command, path).join('\n')),
    ...(command.description?.split('\n\n').map(escaped) ?? []),
    ...titled(
      `${level} Commands`,
      ['command', 'use it to'],
      subcommands.map(({ name, summary }) => [code(name), escaped(lowerFirst(summary))]),
    ),
    ...titled(
      `${level} Arguments`,
      ['argument', 'meaning'],
      (command.arguments ?? []).map(one => [code(argumentText(one)), escaped(one.summary)]),
    ),
    ...sectionsOf(command).flatMap(({ title = 'Options', options }) =>
      titled(
        `${level} ${title}`,
        ['option', 'meaning'],
        Object.entries(options)
          .filter(([, { isHidden }]) => !isHidden)
          .map(([name, option]) => [code(optionText(name, option)), escaped(describeOption(option))]),
      ),
    ),
    ...sections.flatMap(({ title, text, code: lines, rows = [] }) => [
      `${level} ${title}`,
      ...(text ? [escaped(text)] : []),
      ...titled(
        undefined,
        ['name', 'meaning'],
        rows.map(([term, meaning]) => [code(term), escaped(meaning)]),
      ),
      ...(lines ? [fenced('text', lines)] : []),
    ]),
    ...titled(
      `${level} Exit codes`,
      ['code', 'meaning'],
      Object.entries(command.exitCodes).map(([exit, meaning]) => [exit, escaped(meaning)]),
    ),
    `${level} Examples`,
    fenced('sh', command.examples.join('\n')),
  ]
}

const titled = (
  title: string | undefined,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string[] => (rows.length === 0 ? [] : [...(title ? [title] : []), table(head, rows)])

/** Options, variables and placeholders, which would be read as markup. */
const escaped = (text: string): string =>
  text.replace(
    /<[\w-]+>|\{[^}]*\}|--[a-z][\w-]*(?: [A-Z]{2,})?|\b[A-Z]+(?:_[A-Z]+)+(?:=\d)?|\b[a-z]+(?:_[a-z]+)+|(?<= )_(?=:)/g,
    code,
  )

const lowerFirst = (text: string): string => text[0]!.toLowerCase() + text.slice(1)

const [START, END] = ['<!-- commands: made by `npm run generate` -->', '<!-- end of commands -->']

function withList(readme: string): string {
  const [before, rest = ''] = readme.split(START)
  const after = rest.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`${README} has no list of commands.`)
  const rows = groups.flatMap(({ commands }) =>
    commands.map(({ name, summary }) => [code(`holdfast ${name}`), lowerFirst(summary)]),
  )
  return `${before}${START}\n\n${table(['command', 'use it to'], rows)}\n\n${END}${after}`
}

// holdfast schema: prints the JSON Schemas that are shipped with the command, or configures editors to use them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { flag, type Given, oneOf, value } from '../arguments.js'
import type { Command } from '../command.js'
import { installSchema } from '../editors/install.js'
import { OUTPUT, root } from '../option-sections.js'
import { print } from '../print/terminal.js'
import { UsageError } from '../usage-error.js'

/** The bundle is CommonJS, and the schemas are beside it. */
declare const __dirname: string

const KINDS = ['hooks', 'payload', 'answer', 'list'] as const

export const command: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of hooks.json, payloads and responses',
  arguments: [
    {
      name: 'schema',
      summary:
        'hooks: hooks.json itself (default). payload: what a hook of the event reads from stdin. answer: what it may print to stdout. list: the names of all schemas',
      isOptional: true,
      values: KINDS,
    },
    { name: 'event', summary: 'for payload and answer', isOptional: true, values: EVENT_NAMES },
  ],
  options: [
    {
      title: 'Editors',
      options: {
        install: flag(
          'enable completion and validation of hooks.json in editors: copies the schema beside it, refers to it in .vscode/settings.json and in the $schema line of hooks.json; nothing else changes in these files',
        ),
        'dry-run': flag('with --install: show the changes and write nothing'),
        undo: flag('undo --install, byte for byte'),
        root,
        home: value('DIR', 'home folder, whose .holdfast folder holds the data for --undo', {
          defaultText: 'yours',
        }),
      },
    },
    OUTPUT,
  ],
  exitCodes: { 0: 'printed, or installed', 1: 'there is no such schema, or nothing was written' },
  examples: [
    'holdfast schema',
    'holdfast schema payload beforeShellExecution',
    'holdfast schema answer preToolUse',
    'holdfast schema --install',
  ],
  run,
}

async function run(given: Given): Promise<number> {
  if (given.has('install') || given.has('undo')) return installSchema(given)
  const [word = 'hooks', event] = given.positionals
  const kind = oneOf('schema', word, KINDS)
  const isForEvent = kind === 'payload' || kind === 'answer'
  const extra = isForEvent ? undefined : event
  if (extra !== undefined)
    throw new UsageError(`schema ${kind} takes no further argument. Remove "${extra}".`)
  if (kind === 'list') print(names().join('\n').concat('\n'))
  else if (!isForEvent) print(read('hooks.schema.json'))
  else if (event === undefined) {
    throw new UsageError(
      `schema ${kind} needs an event, for example: holdfast schema ${kind} beforeShellExecution`,
    )
  } else print(read(join(kind, `${oneOf('event', event, EVENT_NAMES)}.schema.json`)))
  return 0
}

const names = () => [
  'hooks',
  ...EVENT_NAMES.map(event => `payload ${event}`),
  ...EVENT_NAMES.map(event => `answer ${event}`),
]

function read(name: string): string {
  try {
    return readFileSync(join(__dirname, 'schema', name), 'utf8')
  } catch {
    throw new UsageError(`The schema ${name} is missing from this installation. Install holdfast again.`)
  }
}

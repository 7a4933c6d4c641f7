// holdfast schema: the JSON Schemas that are shipped beside the command, printed or given to editors.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_NAMES } from '@holdfast/hooks/protocol'
import { Complaint } from '../complaint.js'
import { showHelp, workshop } from '../load.js'
import { known, noMore, parse, SCHEMA_OPTIONS } from '../options.js'
import { print } from '../print/terminal.js'

/** The bundle is CommonJS, and the schemas lie beside it. */
declare const __dirname: string

const KINDS = ['hooks', 'payload', 'answer', 'list'] as const

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('schema', argv, SCHEMA_OPTIONS)
  if (given.has('help')) return showHelp('schema')
  if (given.has('install') || given.has('undo')) return (await workshop('schema-install')).run(argv)
  const [word = 'hooks', event] = given.positionals
  const kind = known('schema', word, KINDS)
  const isForEvent = kind === 'payload' || kind === 'answer'
  noMore('schema', given.positionals, isForEvent ? 2 : 1)
  if (kind === 'list') print(names().join('\n').concat('\n'))
  else if (!isForEvent) print(read('hooks.schema.json'))
  else if (event === undefined) {
    throw new Complaint(
      `schema ${kind} needs an event, for example: holdfast schema ${kind} beforeShellExecution`,
    )
  } else print(read(join(kind, `${known('event', event, EVENT_NAMES)}.schema.json`)))
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
    throw new Complaint(`The schema ${name} is not installed beside this command. Install holdfast again.`)
  }
}

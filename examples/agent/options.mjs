// The command line of the agent.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const HELP = `usage: node agent.mjs [options] [message ...]

A coding agent with hooks. Without a message it reads them line by line; /compact shortens the
conversation, /exit ends it. Ctrl-C stops a turn.

  --model <provider>/<model>   anthropic, openai or openai-compatible; HOLDFAST_MODEL when absent
  --script <file>              no model: say the lines of a file, such as scripts/tour.json
  --workspace <folder>         where to work; the current folder when absent
  --context <tokens>           how much the model can hold; 200000 when absent
  --yes                        do not ask before tools and servers; questions of hooks are still asked
  --trust                      trust the hooks of the project as they are now
  --home <folder>              another home, for its hooks and its trust
  --help                       this text
`

/**
 * The parser's message explains at length how to pass a value that looks like an option. The list of options is more
 * useful.
 */
function parse(config) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new Error(`${error.message.split('. ')[0].replace(/\.$/, '')}. --help lists the options.`)
  }
}

export function readOptions(args) {
  const { values, positionals } = parse({
    args,
    allowPositionals: true,
    options: {
      model: { type: 'string' },
      script: { type: 'string' },
      workspace: { type: 'string', default: '.' },
      context: { type: 'string', default: '200000' },
      home: { type: 'string' },
      yes: { type: 'boolean', default: false },
      trust: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return values
  const workspace = resolve(values.workspace)
  if (!statSync(workspace, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Error(`--workspace: ${values.workspace} is not a folder.`)
  }
  const context = Number(values.context)
  if (!Number.isInteger(context) || context < 1)
    throw new Error('--context must be a whole number of tokens.')
  const model = values.model ?? process.env.HOLDFAST_MODEL
  if (!values.script && !model) {
    throw new Error(
      'No model: say --model <provider>/<model>, or --script scripts/tour.json to try it without one.',
    )
  }
  const home = values.home === undefined ? undefined : resolve(values.home)
  return { ...values, workspace, context, model, home, prompts: positionals }
}

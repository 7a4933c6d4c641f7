// holdfast allow-once: a person lets one denied action pass, once, within minutes. Needs a terminal; an agent cannot approve
// for itself.

import type { Given } from '../arguments.js'
import type { Command } from '../command.js'
import { home } from '../option-sections.js'
import { askYesNo } from '../print/prompts.js'
import { print } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { workspaceOf } from '../workspace.js'
import { approve, type Found, findRequest, requests } from './approvals.js'
import { whyUnattended } from './attended.js'

export const command: Command = {
  name: 'allow-once',
  summary: 'Allow one denied action, once, within ten minutes',
  description:
    "The message of the denial shows the code to you, not to the agent. Only a person at a terminal can approve: a call from a hook, a pipe or an agent's shell is refused.",
  arguments: [
    { name: 'code', summary: 'the code of the denial (default: list the denials)', isOptional: true },
  ],
  options: [{ options: { home } }],
  exitCodes: { 0: 'approved, or listed', 1: 'there is no such code, or nobody is at the terminal' },
  examples: ['holdfast allow-once', 'holdfast allow-once K7QM2D'],
  run,
}

async function run(given: Given): Promise<number> {
  const { home, screen } = workspaceOf(given)
  const [code] = given.positionals
  const now = Date.now()
  if (code === undefined) {
    const all = requests(home, now)
    print(
      all.length === 0
        ? 'No guard denied anything in the last ten minutes.\n'
        : `\n${all.map(one => described(one, now)).join('\n')}\n  holdfast allow-once CODE   the code is in the message of the denial\n\n`,
    )
    return 0
  }
  const reason = whyUnattended()
  if (reason)
    throw new UsageError(
      `allow-once needs a person at a terminal, and ${reason}. Open a terminal of your own, and run it there.`,
    )
  const found = findRequest(home, code, now)
  if (!found)
    throw new UsageError(
      'No denial of the last ten minutes has this code. If the agent tries again, the new denial has a new code.',
    )
  print(`\n${described(found, now)}\n`)
  if (!(await askYesNo('Allow it once?'))) {
    print('  Nothing was approved.\n')
    return 1
  }
  approve(home, found, Date.now())
  print(`  ${screen.green('Approved.')} The agent can try it again, once, within ten minutes.\n\n`)
  return 0
}

const described = ({ guard, text, folder, reasons, at }: Found, now: number): string =>
  [
    `  ${visible(text)}`,
    `    in ${visible(folder)}, denied by ${guard} ${Math.max(0, Math.round((now - at) / 60_000))} min ago`,
    ...reasons.map(reason => `    ${visible(reason)}`),
    '',
  ].join('\n')

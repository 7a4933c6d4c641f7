// The notice when hooks of a team first arrive on this machine, and the choices of the user.

import { createInterface } from 'node:readline'
import { isTerminal, print, type Screen } from '../print/terminal.js'

export type Choice = 'continue' | 'view' | 'log-out'

export const noticeText = (team: string, hooks: number, records: 'managed' | 'all', screen: Screen): string =>
  [
    '',
    `  ${screen.bold(`${team} runs hooks that its admins selected.`)}`,
    '',
    hooks === 1
      ? '  From now on 1 hook of the team runs whenever an agent works here. It may stop a command, ask about it'
      : `  From now on ${hooks} hooks of the team run whenever an agent works here. They may stop a command, ask about it`,
    '  or change it.',
    records === 'all'
      ? '  The team receives a record of each run of every hook on this machine, without secrets.'
      : '  The team receives a record of each run of its own hooks and those of the enterprise, without secrets.',
    '',
    '',
  ].join('\n')

/** Without a terminal the notice is printed and nothing is asked. */
export async function choose(): Promise<Choice> {
  if (!process.stdin.isTTY || !isTerminal()) return 'continue'
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    for (;;) {
      const answer = await new Promise<string | null>(resolve => {
        lines.once('close', () => resolve(null))
        lines.question('  [C]ontinue, [V]iew hooks or [L]og out? ', resolve)
      })
      const [letter = 'c'] = (answer ?? '').trim().toLowerCase()
      if (letter === 'c') return 'continue'
      if (letter === 'v') return 'view'
      if (letter === 'l') return 'log-out'
      print('  Answer with c, v or l.\n')
    }
  } finally {
    lines.close()
  }
}

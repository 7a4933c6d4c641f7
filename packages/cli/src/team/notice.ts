// The notice when hooks of a team first arrive on this machine, and the choices of the user.

import { askOne, canAsk } from '../print/prompts.js'
import type { Screen } from '../print/terminal.js'

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
  if (!canAsk()) return 'continue'
  const choice = await askOne<Choice>('Keep these hooks?', [
    { value: 'continue', label: 'Continue', hint: 'the hooks run from now on' },
    { value: 'view', label: 'View the hooks' },
    { value: 'log-out', label: 'Log out', hint: 'removes the hooks from this machine' },
  ])
  // A cancelled question changes nothing: the hooks are already installed.
  return choice ?? 'continue'
}

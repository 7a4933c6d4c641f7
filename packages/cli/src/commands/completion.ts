// holdfast completion: a script that makes a shell complete commands, options and values.

import { type Given, oneOf } from '../arguments.js'
import type { Command } from '../command.js'
import { completionScript, SHELLS } from '../completion/scripts.js'
import { openCommands } from '../load.js'
import { print } from '../print/terminal.js'
import { UsageError } from '../usage-error.js'

export const command: Command = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  arguments: [{ name: 'shell', summary: SHELLS.join(', '), values: SHELLS }],
  sections: [
    {
      title: 'Install',
      rows: [
        ['bash', 'holdfast completion bash > ~/.local/share/bash-completion/completions/holdfast'],
        ['zsh', 'holdfast completion zsh > "${fpath[1]}/_holdfast"'],
        ['fish', 'holdfast completion fish > ~/.config/fish/completions/holdfast.fish'],
        ['powershell', 'holdfast completion powershell >> $PROFILE'],
      ],
    },
  ],
  exitCodes: { 0: 'printed', 1: 'this shell is not supported' },
  examples: ['holdfast completion fish > ~/.config/fish/completions/holdfast.fish'],
  run,
}

async function run({ positionals: [name] }: Given): Promise<number> {
  if (name === undefined) throw new UsageError(`completion needs a shell: ${SHELLS.join(', ')}.`)
  const shell = oneOf('completion for the shell', name, SHELLS)
  print(completionScript(shell, await openCommands().completionNodes()))
  return 0
}

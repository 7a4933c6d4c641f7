// holdfast help: all commands, or one of them.

import type { Command } from '../command.js'
import { showHelp } from '../load.js'

export const command: Command = {
  name: 'help',
  summary: 'Show all commands, or the help of one',
  arguments: [{ name: 'command', summary: 'for example: keys sign', isOptional: true, isRepeatable: true }],
  exitCodes: { 0: 'shown', 1: 'there is no such command' },
  examples: ['holdfast help', 'holdfast help fire', 'holdfast help keys sign'],
  run: ({ positionals }) => showHelp(positionals),
}

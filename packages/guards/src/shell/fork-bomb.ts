// Loops that start processes without end.

import type { CompoundList } from 'unbash'
import { programOf } from './call.js'

export function isEndless({ kind, clause }: { kind: string; clause: CompoundList }): boolean {
  const [only] = clause.commands
  if (clause.commands.length !== 1 || only?.command.type === undefined) return false
  const text = only.command.type === 'Command' ? programOf(only.command.name?.value ?? '') : only.command.type
  return kind === 'while' ? /^(?:true|:|TestCommand|ArithmeticCommand)$/.test(text) : text === 'false'
}

/** In the background, and nothing in the loop ends it or waits for it. */
export function startsProcesses({ commands }: CompoundList): boolean {
  const names = commands.map(({ command }) => (command.type === 'Command' ? (command.name?.value ?? '') : ''))
  if (names.some(name => /^(?:break|exit|return)$/.test(name))) return false
  const last = commands.findLastIndex(({ background }) => background === true)
  if (last === -1) return false
  return !(names.lastIndexOf('wait') > last || (names[0] === 'wait' && !names.includes('disown')))
}

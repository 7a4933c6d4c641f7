// holdfast.json: the options of the guards, beside hooks.json. A project's file counts for its own guards only, so a
// repository cannot loosen those of the user.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { TOPICS, type Topic } from '@holdfast/guards/shell'
import { type ParseError, parse } from 'jsonc-parser'
import { Complaint } from '../complaint.js'

export const STRENGTHS = ['audit', 'ask', 'deny'] as const

export interface ShellGuardOptions {
  /** deny: findings deny or ask, as each rule says. ask: all findings ask. audit: findings are only reported. */
  readonly strength: (typeof STRENGTHS)[number]
  readonly topics?: readonly Topic[]
}

/** The folder in which a hook runs: that of the user's hooks, or the root of a project. */
export const optionsFile = (cwd: string): string =>
  basename(cwd) === '.cursor' ? join(cwd, 'holdfast.json') : join(cwd, '.cursor', 'holdfast.json')

/** A mistake in the file is an error: a guard with unknown options must not run with weaker ones. */
export function readShellOptions(file: string): ShellGuardOptions {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { strength: 'deny' }
    throw new Complaint(`${file} cannot be read: ${(error as Error).message}`)
  }
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    const line = text.slice(0, errors[0]!.offset).split('\n').length
    throw new Complaint(`${file}:${line} is not valid JSON. Fix it, or delete the file.`)
  }
  const given = memberOf(memberOf(value, 'guards', file), 'shell', file)
  for (const key of Object.keys(given))
    if (key !== 'strength' && key !== 'topics')
      throw new Complaint(`${file}: guards.shell has the unknown key "${key}". Known: strength, topics.`)
  const { strength = 'deny', topics } = given
  if (!STRENGTHS.includes(strength as never))
    throw new Complaint(`${file}: guards.shell.strength must be one of ${STRENGTHS.join(', ')}.`)
  if (topics === undefined) return { strength: strength as ShellGuardOptions['strength'] }
  const isKnown = (topic: unknown) => TOPICS.includes(topic as Topic)
  if (!Array.isArray(topics) || !topics.every(isKnown))
    throw new Complaint(`${file}: guards.shell.topics must be a list of: ${TOPICS.join(', ')}.`)
  return { strength: strength as ShellGuardOptions['strength'], topics: topics as Topic[] }
}

function memberOf(value: unknown, key: string, file: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Complaint(`${file}: expected an object around "${key}".`)
  const member = (value as Record<string, unknown>)[key] ?? {}
  if (typeof member !== 'object' || Array.isArray(member))
    throw new Complaint(`${file}: "${key}" must be an object.`)
  return member as Record<string, unknown>
}

// holdfast.json: the options of the guards and the allow rules, beside hooks.json. A project's file counts for its own guards
// only, so a repository cannot loosen those of the user.

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { GUARDS, type Option, type Options } from '@holdfast/guards'
import { type ParseError, parse } from 'jsonc-parser'
import { UsageError } from '../usage-error.js'

export const STRENGTHS = ['audit', 'ask', 'deny'] as const
export type Strength = (typeof STRENGTHS)[number]

/** An exception that somebody made, with the reason, until a day. */
export interface AllowRule {
  readonly rule: string
  /** The exact command; without one, all that the rule matches. */
  readonly command?: string
  readonly reason: string
  /** The last day on which it counts: YYYY-MM-DD. */
  readonly expires: string
}

export interface GuardOptions {
  /** deny: findings deny or ask, as each rule says. ask: all findings ask. audit: findings are only reported. */
  readonly strength: Strength
  readonly options: Options
  readonly allow: readonly AllowRule[]
}

/** The folder in which a hook runs: that of the user's hooks, or the root of a project. */
export const optionsFile = (cwd: string): string =>
  basename(cwd) === '.cursor' ? join(cwd, 'holdfast.json') : join(cwd, '.cursor', 'holdfast.json')

/** A mistake in the file is an error: a guard with unknown options must not run with weaker ones. */
export function readGuardOptions(file: string, name: string): GuardOptions {
  const value = readFile(file)
  if (value === undefined) return { strength: 'deny', options: {}, allow: [] }
  const fail = (what: string): never => {
    throw new UsageError(`${file}: ${what}`)
  }
  mustKnow(value, ['$schema', 'guards', 'allow'], 'the file', fail)
  const guards = objectIn(value, 'guards', fail)
  mustKnow(
    guards,
    GUARDS.map(guard => guard.name),
    '"guards"',
    fail,
  )
  const { strength = 'deny', ...options } = objectIn(guards, name, fail)
  if (!STRENGTHS.includes(strength as never))
    fail(`guards.${name}.strength must be one of ${STRENGTHS.join(', ')}.`)
  const known = GUARDS.find(guard => guard.name === name)!.options
  mustKnow(options, Object.keys(known), `guards.${name}`, fail, ['strength'])
  for (const [key, given] of Object.entries(options)) {
    const problem = problemOf(given, known[key]!)
    if (problem) fail(`guards.${name}.${key} must be ${problem}.`)
  }
  return { strength: strength as Strength, options, allow: readAllow(value, fail) }
}

/** The allow rules of a file, for `holdfast list`. */
export function readAllowRules(file: string): readonly AllowRule[] {
  const value = readFile(file)
  if (value === undefined) return []
  return readAllow(value, what => {
    throw new UsageError(`${file}: ${what}`)
  })
}

type Fail = (what: string) => never

function readFile(file: string): Record<string, unknown> | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  const errors: ParseError[] = []
  const value: unknown = parse(text.replace(/^\ufeff/, ''), errors, { allowTrailingComma: true })
  if (errors.length > 0) {
    const line = text.slice(0, errors[0]!.offset).split('\n').length
    throw new UsageError(`${file}:${line} is not valid JSON. Fix it, or delete the file.`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${file}: expected an object around "guards".`)
  return value as Record<string, unknown>
}

function readAllow(value: Record<string, unknown>, fail: Fail): AllowRule[] {
  const { allow = [] } = value
  if (!Array.isArray(allow)) return fail('"allow" must be a list.')
  return allow.map((rule, index) => {
    const at = `allow[${index}]`
    if (typeof rule !== 'object' || rule === null) return fail(`${at} must be an object.`)
    mustKnow(rule as Record<string, unknown>, ['rule', 'command', 'reason', 'expires'], at, fail)
    const { rule: name, command, reason, expires } = rule as Record<string, unknown>
    if (typeof name !== 'string' || !/^[a-z]+\/[a-z-]+$/.test(name))
      return fail(`${at}.rule must be the name of a rule, such as "files/delete-tree".`)
    if (command !== undefined && typeof command !== 'string') return fail(`${at}.command must be a text.`)
    if (typeof reason !== 'string' || reason.trim() === '') return fail(`${at} needs a "reason".`)
    if (
      typeof expires !== 'string' ||
      !/^\d{4}-\d\d-\d\d$/.test(expires) ||
      Number.isNaN(Date.parse(expires))
    )
      return fail(`${at} needs "expires", a day as YYYY-MM-DD.`)
    return { rule: name, reason, expires, ...(command === undefined ? {} : { command }) }
  })
}

export const isExpired = ({ expires }: AllowRule, now: number): boolean =>
  now >= Date.parse(`${expires}T00:00:00Z`) + 86_400_000

function problemOf(value: unknown, { type, values }: Option): string | undefined {
  const fits = (text: unknown) => typeof text === 'string' && (!values || values.includes(text))
  const choice = values ? ` of: ${values.join(', ')}` : ' of texts'
  switch (type) {
    case 'list':
      return Array.isArray(value) && value.every(fits) ? undefined : `a list${choice}`
    case 'text':
      return fits(value) ? undefined : values ? `one${choice}` : 'a text'
    case 'number':
      return typeof value === 'number' && value >= 0 ? undefined : 'a number, 0 or more'
    case 'switch':
      return typeof value === 'boolean' ? undefined : 'true or false'
  }
}

function mustKnow(
  value: Record<string, unknown>,
  known: readonly string[],
  where: string,
  fail: Fail,
  also: readonly string[] = [],
): void {
  for (const key of Object.keys(value))
    if (!known.includes(key))
      fail(`${where} has the unknown key "${key}". Known: ${[...also, ...known].join(', ')}.`)
}

function objectIn(value: Record<string, unknown>, key: string, fail: Fail): Record<string, unknown> {
  const member = value[key] ?? {}
  if (typeof member !== 'object' || Array.isArray(member)) return fail(`"${key}" must be an object.`)
  return member as Record<string, unknown>
}

// Reads the policy file. A guard that cannot read its rules denies everything, and names the file.

import { readFileSync } from 'node:fs'
import { CHECKS, type Pattern } from './find.js'

export interface Policy {
  readonly patterns: readonly Pattern[]
  /** Whether attachments must be in the workspace. */
  readonly attachments: boolean
  /** Further folders whose files may be attached. */
  readonly also: readonly string[]
}

export function readPolicy(file: string): Policy {
  const { patterns, attachments = {} } = objectIn(file)
  if (!Array.isArray(patterns)) throw new Error(`"patterns" in ${file} is not a list`)
  const { inside, also = [] } = attachments as Record<string, unknown>
  if (inside !== undefined && inside !== 'workspace' && inside !== 'anywhere')
    throw new Error(`"attachments.inside" in ${file} is neither "workspace" nor "anywhere"`)
  if (!Array.isArray(also) || also.some(folder => typeof folder !== 'string'))
    throw new Error(`"attachments.also" in ${file} is not a list of folders`)
  return {
    patterns: patterns.map((pattern, at) => patternFrom(pattern, `"patterns[${at}]" in ${file}`)),
    attachments: inside !== 'anywhere',
    also,
  }
}

function objectIn(file: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new Error(`${file} does not hold an object`)
}

function patternFrom(given: unknown, where: string): Pattern {
  const { name, pattern, ignoreCase, check, atLeast = 1 } = (given ?? {}) as Record<string, unknown>
  if (typeof name !== 'string' || typeof pattern !== 'string')
    throw new Error(`${where} needs a "name" and a "pattern"`)
  if (check !== undefined && !Object.hasOwn(CHECKS, String(check)))
    throw new Error(`${where} has the check "${check}"; there is ${Object.keys(CHECKS).join(' and ')}`)
  if (typeof atLeast !== 'number' || !(atLeast >= 1))
    throw new Error(`"atLeast" of ${where} is not a number from 1`)
  try {
    const regex = new RegExp(pattern, ignoreCase === true ? 'giu' : 'gu')
    return { name, regex, atLeast, check: check === undefined ? undefined : CHECKS[check as 'card'] }
  } catch (error) {
    throw new Error(`${where} is not a regular expression: ${(error as Error).message}`)
  }
}

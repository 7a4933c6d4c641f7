// Classifies a case by its data, without an engine.

import type { Case, CaseHook } from './case.js'
import { bytesOf, profileOf } from './load.js'

export type Said = 'allow' | 'ask' | 'deny' | 'none'

/** Rows of the failure table. */
export const CRASHES = ['exit', 'signal', 'timeout', 'overflow', 'not found'] as const
export const ROWS = ['exit 2', 'deny with another exit', 'invalid JSON', 'wrong field', ...CRASHES] as const
export type Row = (typeof ROWS)[number]

/** The object that a hook prints, if it prints nothing else. */
export function objectPrintedBy(hook: CaseHook): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(textOf(hook))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

const textOf = ({ exit }: CaseHook): string =>
  bytesOf(exit?.stdout, exit?.stdout_base64).toString('utf8').trim()

/** The decision of a hook that succeeds, in canonical fields. */
export function decisionOf(hook: CaseHook): Said | undefined {
  if (hook.type === 'prompt' || !wentWell(hook)) return undefined
  if (textOf(hook) === '') return 'none'
  const printed = objectPrintedBy(hook)
  if (!printed || isWrong(printed)) return undefined
  if (printed.permission === 'deny' || printed.continue === false) return 'deny'
  if (printed.permission === 'ask') return 'ask'
  return printed.permission === 'allow' || printed.continue === true ? 'allow' : 'none'
}

export function rowOf(hook: CaseHook): Row | undefined {
  const { exit = {} } = hook
  if (hook.type === 'prompt') return undefined
  const printed = objectPrintedBy(hook)
  const denies = printed?.permission === 'deny' || printed?.continue === false
  if (exit.signal) return 'signal'
  if (exit.timeout) return 'timeout'
  if (exit.overflow === 'stdout') return 'overflow'
  if (exit.not_found) return 'not found'
  if (exit.code === 2) return 'exit 2'
  if (exit.code) return denies ? 'deny with another exit' : 'exit'
  if (textOf(hook) === '') return undefined
  if (!printed) return 'invalid JSON'
  return isWrong(printed) ? 'wrong field' : undefined
}

/** How a deny was at risk: by output after it, other fields, or its end. */
export const RISKS = [
  'exit',
  'signal',
  'timeout',
  'overflow',
  'text after',
  'another object',
  'wrong field',
] as const

export function riskOf(hook: CaseHook): (typeof RISKS)[number] | undefined {
  const text = textOf(hook)
  const { exit = {} } = hook
  if (!/"permission":"deny"|"continue":false/.test(text)) return undefined
  if (exit.signal) return 'signal'
  if (exit.timeout) return 'timeout'
  if (exit.overflow === 'stdout') return 'overflow'
  if (exit.code) return exit.code === 2 ? undefined : 'exit'
  const printed = objectPrintedBy(hook)
  if (printed) return isWrong(printed) ? 'wrong field' : undefined
  return text.endsWith('}') ? 'another object' : 'text after'
}

const DECISIONS: readonly unknown[] = [undefined, 'allow', 'ask', 'deny']
const FLAGS: readonly unknown[] = [undefined, true, false]
const MESSAGES = ['user_message', 'agent_message'] as const

const isWrong = (printed: Record<string, unknown>): boolean =>
  !DECISIONS.includes(printed.permission) ||
  !FLAGS.includes(printed.continue) ||
  MESSAGES.some(name => printed[name] !== undefined && typeof printed[name] !== 'string')

const wentWell = ({ exit = {} }: CaseHook): boolean =>
  !exit.code &&
  !exit.signal &&
  !exit.timeout &&
  exit.overflow !== 'stdout' &&
  !exit.not_found &&
  !exit.not_executable

export const isDefault = (one: Case): boolean => profileOf(one) === 'holdfast'
/** Whether the case expects an outcome for the action. */
export const decides = ({ expect }: Case): boolean =>
  expect.proceeds !== undefined || expect.permission !== undefined || expect.continue !== undefined

// How a tool call can fail, and what hooks are told of it.

import { inspect } from 'node:util'

/** Anything can be thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : inspect(error)

/** What the model reads instead of a result. */
export class ToolCallError extends Error {
  override readonly name: string = 'ToolCallError'
}

/** Thrown by tools that ran into their time limit. */
export class ToolTimeoutError extends ToolCallError {
  override readonly name = 'ToolTimeoutError'
}

export class NotApprovedError extends ToolCallError {
  override readonly name = 'NotApprovedError'
}

const TYPES = {
  ToolTimeoutError: 'timeout',
  // Of AbortSignal.timeout.
  TimeoutError: 'timeout',
  NotApprovedError: 'permission_denied',
} as const

/** By name, so that an error of another copy of the package counts, too. */
export const failureType = (error: unknown): (typeof TYPES)[keyof typeof TYPES] | 'error' => {
  const { name } = Object(error) as { name?: unknown }
  return typeof name === 'string' && Object.hasOwn(TYPES, name) ? TYPES[name as keyof typeof TYPES] : 'error'
}

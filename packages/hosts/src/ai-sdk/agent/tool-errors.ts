// How a tool call can fail, and what hooks receive.

import { inspect } from 'node:util'

/** Any value can be thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : typeof error === 'string' ? error : inspect(error)

/** The text that the model reads instead of a result. */
export class ToolCallError extends Error {
  override readonly name: string = 'ToolCallError'
}

/** Thrown by tools that reached their time limit. */
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

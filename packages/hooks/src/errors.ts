// The engine throws only for wrong use, and for a block when the host calls guard(). Problems in a configuration are
// issues, and problems in a run are failures; both are data.

import { CODES, type ErrorCode, withCode } from './protocol/codes.js'
import type { Verdict } from './protocol/verdict.js'

const marker = Symbol.for('holdfast.error')

export class HooksError extends Error {
  override readonly name: string = 'HooksError'
  readonly code: ErrorCode
  readonly hint: string

  constructor(code: ErrorCode, text: string, options: { cause?: unknown; hint?: string } = {}) {
    super(withCode(code, text), 'cause' in options ? { cause: options.cause } : undefined)
    this.code = code
    this.hint = options.hint ?? CODES[code].hint
    Object.defineProperty(this, marker, { value: true })
  }

  /** Works across two installed copies of the package, where instanceof does not. */
  static isInstance(value: unknown): value is HooksError {
    return typeof value === 'object' && value !== null && marker in value
  }
}

export class HookBlockedError extends HooksError {
  override readonly name = 'HookBlockedError'
  readonly userMessage: string
  readonly agentMessage: string
  readonly verdict: Verdict
  /** The code of Cursor for this block, such as ERROR_HOOKS_BLOCKED. */
  readonly wireCode: string | null

  constructor(verdict: Verdict, userMessage: string, agentMessage: string, wireCode?: string) {
    super('use/blocked', userMessage)
    this.userMessage = userMessage
    this.agentMessage = agentMessage
    this.verdict = verdict
    this.wireCode = wireCode ?? null
  }

  static override isInstance(value: unknown): value is HookBlockedError {
    return HooksError.isInstance(value) && value.code === 'use/blocked'
  }
}

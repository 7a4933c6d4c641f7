// A call that is rejected for a reason that the caller can act on: a code and a message.

export type RequestErrorCode =
  | 'invalid' // the input is invalid
  | 'missing' // it does not exist
  | 'exists' // it exists already
  | 'stale' // another change came first; load it again
  | 'not-now' // the current state forbids it
  | 'forbidden' // another role may do this
  | 'unknown-caller' // the caller is not authenticated
  | 'too-much' // too large, or too often

export interface RefusedCallDetail {
  /** When to retry, if known. */
  readonly waitSeconds?: number
  /** The same caller was rejected for the same reason a moment ago: administrators have been notified. */
  readonly isKnown?: boolean
}

export class RequestError extends Error {
  override readonly name = 'RequestError'
  constructor(
    readonly code: RequestErrorCode,
    message: string,
    readonly facts: RefusedCallDetail = {},
  ) {
    super(message)
  }
}

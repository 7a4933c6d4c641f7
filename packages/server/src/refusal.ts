// A call that is not carried out, for a reason that the caller can do something about: a code and a sentence.

export type RefusalCode =
  | 'invalid' // what was sent cannot be used
  | 'missing' // there is no such thing
  | 'exists' // there is one already
  | 'stale' // somebody else was faster; look again
  | 'not-now' // the state of things forbids it
  | 'forbidden' // somebody else may do this
  | 'unknown-caller' // nobody knows who this is
  | 'too-much' // too large, or too often

export interface RefusalFacts {
  /** When to come again, where that is known. */
  readonly waitSeconds?: number
  /** The same caller was refused the same a moment ago: those who look after the server have been told. */
  readonly isKnown?: boolean
}

export class Refusal extends Error {
  override readonly name = 'Refusal'
  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly facts: RefusalFacts = {},
  ) {
    super(message)
  }
}

// An error that the operator or the caller can fix. The message says what, where and how.

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

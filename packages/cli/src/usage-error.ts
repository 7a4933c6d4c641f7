// A wrong call: one message on stderr, exit code 1, no stack.

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** By its name, because each bundle of the command has a class of its own. */
export const isUsageError = (error: unknown): error is UsageError =>
  error instanceof Error && error.name === 'UsageError'

/** "check, list or fire". */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

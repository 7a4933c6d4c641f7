// A wrong call: one sentence for stderr, exit 1, no stack.

export class Complaint extends Error {
  override readonly name = 'Complaint'
}

/** By its name: each of the command's bundles has a class of its own. */
export const isComplaint = (error: unknown): error is Complaint =>
  error instanceof Error && error.name === 'Complaint'

/** "check, list or fire". */
export const either = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

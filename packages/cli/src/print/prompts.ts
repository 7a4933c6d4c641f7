// Questions on a terminal. A cancelled question (Ctrl-C, Ctrl-D or Escape) has no answer, which never counts as a yes.

import { confirm, isCancel, multiselect, select } from '@clack/prompts'
import { isTerminal } from './terminal.js'

interface Choice<T> {
  readonly value: T
  readonly label: string
  readonly hint?: string
}

/** Questions need a terminal on both sides. */
export const canAsk = (): boolean => isTerminal(0) && isTerminal(1)

/** Enter alone is a no, unless `default` is true. */
export async function askYesNo(message: string, { default: initialValue = false } = {}): Promise<boolean> {
  return (await ask<boolean>(() => confirm({ message, initialValue }))) === true
}

export const askOne = <T>(message: string, options: readonly Choice<T>[]): Promise<T | undefined> =>
  ask<T>(() => select<T>({ message, options: options as never }))

export const askSeveral = <T>(
  message: string,
  options: readonly Choice<T>[],
  initialValues: T[] = [],
): Promise<T[] | undefined> =>
  ask<T[]>(() => multiselect<T>({ message, options: options as never, initialValues, maxItems: 12 }))

async function ask<T>(question: () => Promise<unknown>): Promise<T | undefined> {
  // Some terminals report a width of 0, which would break every word into letters.
  if (!process.stdout.columns) process.stdout.columns = 80
  const answer = await question()
  return isCancel(answer) ? undefined : (answer as T)
}

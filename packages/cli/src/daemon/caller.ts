// The environment and the folder of the caller, as the code of a call reads them: `process.env` and `process.cwd()` are
// those of the process that it acts for.

import { AsyncLocalStorage } from 'node:async_hooks'

export interface Caller {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
}

const callers = new AsyncLocalStorage<Caller>()

/** Once, before the first call. */
export function actForCallers(): void {
  const { env, cwd } = process
  Object.defineProperty(process, 'env', { configurable: true, get: () => callers.getStore()?.env ?? env })
  process.cwd = () => callers.getStore()?.cwd ?? cwd()
}

export const actFor = <T>(caller: Caller, work: () => T): T => callers.run(caller, work)

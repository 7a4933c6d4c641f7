// The ways out of a process that nobody announces: signals, an error that nobody caught, and nothing left to do. A
// session that is open then is ended first. process.exit() leaves no time for hooks: end the agent before calling it.

type End = (reason: 'completed' | 'aborted' | 'error', error?: unknown) => Promise<void>

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Sessions that are open in this process. */
const open = new Set<End>()

/** Ends the session when the process leaves; returns how to take that back. */
export function endWhenLeaving(end: End): () => void {
  if (open.size === 0) listen()
  open.add(end)
  return () => {
    open.delete(end)
    if (open.size === 0) unlisten()
  }
}

const endAll = async (...args: Parameters<End>): Promise<void> => {
  await Promise.allSettled([...open].map(end => end(...args)))
}

/** An application that listens itself decides itself. Otherwise the signal then does what it would have done. */
const onSignal = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return
  void endAll('aborted').then(() => process.kill(process.pid, signal))
}

const onUncaught = (error: unknown): void => {
  if (process.listenerCount('uncaughtException') > 1) return
  void endAll('error', error).then(() => {
    // As Node would have done at once.
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
}

const onNothingLeft = (): void => void endAll('completed')

function listen(): void {
  for (const signal of SIGNALS) process.on(signal, onSignal)
  process.on('uncaughtException', onUncaught)
  process.on('beforeExit', onNothingLeft)
}

function unlisten(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal)
  process.off('uncaughtException', onUncaught)
  process.off('beforeExit', onNothingLeft)
}

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

/** Afterwards the signal does what it would have done, unless the application listens to it. */
const onSignal = (signal: NodeJS.Signals): void => {
  const isOurs = process.listenerCount(signal) === 1
  void endAll('aborted').then(() => {
    if (isOurs) process.kill(process.pid, signal)
  })
}

const onUncaught = (error: unknown): void => {
  const isOurs = process.listenerCount('uncaughtException') === 1
  void endAll('error', error).then(() => {
    if (!isOurs) return
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

// The ways out of a process that nobody announces. Where there is time, at a signal or when nothing is left to do, a
// session ends as always. Where there is none, at process.exit() or after an error that nobody caught, its hooks run
// while the process stands still.

export interface Leaver {
  end(reason: 'completed' | 'aborted'): Promise<void>
  /** `error` is what nobody caught, when that is why. */
  endSync(code: number, error: unknown): void
}

/** Sessions that are open in this process. */
const open = new Set<Leaver>()
let uncaught: unknown

/** Ends the session when the process leaves; returns how to take that back. */
export function endWhenLeaving(leaver: Leaver): () => void {
  if (open.size === 0) {
    // First in line: who listens only once is no longer counted when it has been called.
    for (const signal of SIGNALS) process.prependListener(signal, onSignal)
    process.on('uncaughtExceptionMonitor', onUncaught)
    process.on('beforeExit', onNothingLeft)
    process.on('exit', onExit)
  }
  open.add(leaver)
  return () => {
    open.delete(leaver)
    if (open.size > 0) return
    ignoreSignals()
    process.off('uncaughtExceptionMonitor', onUncaught)
    process.off('beforeExit', onNothingLeft)
    process.off('exit', onExit)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C often comes twice: from the terminal, and from npm, which passes it on. Only later it is another one. */
const SAME_MS = 1_000

/** From then on a signal does what it does to any process: a person need not wait for hooks twice. */
function ignoreSignals(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** An application that listens itself decides itself. Otherwise the signal then does what it would have done. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1 + followers()) return
  setTimeout(ignoreSignals, SAME_MS).unref()
  void endAll('aborted').then(() => process.kill(process.pid, signal))
}

/**
 * Listeners of the package signal-exit, in its two forms. They decide nothing: they wait until they are alone, then
 * let the signal through. If each side left it to the other, nothing could end the process.
 */
function followers(): number {
  const known = globalThis as { [name: symbol]: unknown }
  const { __signal_exit_emitter__: older } = process as { __signal_exit_emitter__?: unknown }
  return [known[Symbol.for('signal-exit emitter')], older]
    .map(each => (Object(each) as { count?: unknown }).count)
    .reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0)
}

const onNothingLeft = (): void => void endAll('completed')

async function endAll(reason: 'completed' | 'aborted'): Promise<void> {
  await Promise.allSettled([...open].map(each => each.end(reason)))
}

/** Only remembered: whether it ends the process is up to the application, and the exit follows if it does. */
function onUncaught(error: unknown): void {
  uncaught = error
}

function onExit(code: number): void {
  ignoreSignals()
  for (const each of open) {
    try {
      each.endSync(code, code === 0 ? undefined : uncaught)
    } catch {
      // Its engine is closed, or its hooks cannot be started. The others have theirs.
    }
  }
}

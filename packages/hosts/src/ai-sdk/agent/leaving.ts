// Unannounced exits of the process. At a signal, or when no work is left, a session ends as usual. At process.exit() or
// after an uncaught error, its hooks run synchronously.

export interface Leaver {
  end(reason: 'completed' | 'aborted'): Promise<void>
  /** The uncaught error, if that is the cause. */
  endSync(code: number, error: unknown): void
}

/** Open sessions of this process. */
const open = new Set<Leaver>()
let uncaught: unknown

/** Ends the session when the process exits; returns the function that disables this. */
export function endWhenLeaving(leaver: Leaver): () => void {
  if (open.size === 0) {
    // First in the list: a listener for one call is no longer counted after it was called.
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

/**
 * One Ctrl-C often arrives twice: from the terminal, and from npm, which forwards it. A later one counts as a second.
 */
const SAME_MS = 1_000

/** From then on a signal has its default effect: the user need not wait for hooks twice. */
function ignoreSignals(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal)
}

/** If the application listens, it decides. Otherwise the signal then has its default effect. */
function onSignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1 + followers()) return
  setTimeout(ignoreSignals, SAME_MS).unref()
  void endAll('aborted').then(() => process.kill(process.pid, signal))
}

/**
 * Listeners of the package signal-exit, in its two forms. They wait until no other listener is left, then forward the
 * signal. If both sides waited for the other, nothing would end the process.
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

/** Only stored: the application decides whether the signal ends the process, and the exit handler follows. */
function onUncaught(error: unknown): void {
  uncaught = error
}

function onExit(code: number): void {
  ignoreSignals()
  for (const each of open) {
    try {
      each.endSync(code, code === 0 ? undefined : uncaught)
    } catch {
      // Its engine is closed, or its hooks cannot be started. Other sessions are not affected.
    }
  }
}

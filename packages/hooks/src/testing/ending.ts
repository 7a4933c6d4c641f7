// Work for the end of the process, also where a test framework ends its workers with a signal.

const works: (() => void)[] = []

export function atEnd(work: () => void): void {
  works.push(work)
  if (works.length > 1) return
  process.once('exit', end)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      end()
      // As if nobody had listened, unless somebody else does.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
  }
}

function end(): void {
  for (const work of works.splice(0)) work()
}

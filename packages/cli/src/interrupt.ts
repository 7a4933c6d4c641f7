// What was started has groups of its own and does not hear the terminal's interrupt: it is told.

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The process ends with the signal's own code, unless being interrupted is how it ends anyway. */
export function interrupted({ isUsual = false } = {}): AbortSignal {
  const controller = new AbortController()
  for (const name of Object.keys(CODES) as (keyof typeof CODES)[]) {
    process.once(name, () => {
      if (!isUsual) process.exitCode ||= CODES[name]
      controller.abort()
    })
  }
  return controller.signal
}

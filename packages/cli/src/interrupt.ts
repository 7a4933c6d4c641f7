// Hooks run in process groups of their own and do not receive the terminal's interrupt, so they are ended here.

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** The process ends with the code of the signal, unless an interrupt is its usual end. */
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

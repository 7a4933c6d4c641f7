// Hooks have groups of their own and do not hear the terminal's interrupt: they are told.

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

export function interrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of Object.keys(CODES) as (keyof typeof CODES)[]) {
    process.once(name, () => {
      process.exitCode = CODES[name]
      controller.abort()
    })
  }
  return controller.signal
}

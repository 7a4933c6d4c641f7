// Delays work so that it runs once for all callers within a short time. It never keeps a process alive.

export class DelayedWork {
  readonly #ms: number
  readonly #work: () => Promise<void>
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(ms: number, work: () => Promise<void>) {
    this.#ms = ms
    this.#work = work
  }

  soon(): void {
    this.#timer ??= setTimeout(() => void this.now(), this.#ms).unref()
  }

  now(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#running = this.#running.then(this.#work)
    return this.#running
  }
}

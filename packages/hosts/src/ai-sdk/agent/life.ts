// The life cycle of a session: start, one turn at a time, and exactly one end.

import type { Hooks, Session, SessionOptions } from '@holdfast/hooks'
import { revive } from '../../team/revive.js'
import { endWhenLeaving } from './leaving.js'
import { messageOf } from './tool-errors.js'

export interface LifeOptions {
  readonly session?: SessionOptions
  /** Whether the session ends when the process exits (default: true). */
  readonly endsWithProcess?: boolean
}

export type EndReason = 'completed' | 'aborted' | 'error' | 'window_close' | 'user_close'

/** Throws HookBlockedError if hooks block the session. */
export async function beginSession(
  { hooks, session: given }: LifeOptions & { readonly hooks: Hooks },
  model: string,
): Promise<Session> {
  if (!hooks.host.rehearsal) void revive(hooks.host.home)
  return hooks.startSession({ model, ...given })
}

export class Life {
  private turn: { readonly controller: AbortController; readonly over: Promise<unknown> } | undefined
  private ending: Promise<void> | undefined
  private told: { reason: EndReason; error_message?: string } | undefined
  private readonly stay: () => void

  constructor(
    private readonly session: Session,
    { endsWithProcess = true }: LifeOptions,
  ) {
    const leaver = {
      end: (reason: EndReason) => this.end(reason),
      endSync: (code: number, error: unknown) => this.endSync(code, error),
    }
    this.stay = endsWithProcess ? endWhenLeaving(leaver) : () => {}
  }

  /** The work for one message. Its signal aborts with the given one, and when the session ends. */
  async during<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.ending) throw new Error('The session has ended: start another one.')
    if (this.turn) throw new Error('A turn is running. Wait until it ends.')
    const controller = new AbortController()
    const over = work(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal)
    this.turn = { controller, over }
    try {
      return await over
    } finally {
      this.turn = undefined
    }
  }

  /** Once; a running turn is aborted first. */
  end(reason: EndReason = 'completed', error?: unknown): Promise<void> {
    this.ending ??= this.finish(reason, error)
    return this.ending
  }

  private async finish(reason: EndReason, error: unknown): Promise<void> {
    this.told = tellingOf(reason, error)
    this.turn?.controller.abort(new Error('The session is ending.'))
    await this.turn?.over.catch(() => {})
    try {
      await this.session.end(this.told)
    } finally {
      this.stay()
    }
  }

  /** Also while an end is running, because the exit kills its hooks. */
  private endSync(code: number, error: unknown): void {
    const exited = new Error(`The process exited with code ${code}.`)
    const reason = error !== undefined ? 'error' : this.turn ? 'aborted' : code === 0 ? 'completed' : 'error'
    this.session.endSync(this.told ?? tellingOf(reason, error ?? exited))
  }
}

function tellingOf(reason: EndReason, error: unknown) {
  if (reason !== 'error' || error === undefined) return { reason }
  return { reason, error_message: messageOf(error) }
}

// The engine of one connection, opened with the first message that needs it.

import { HookBlockedError, type Hooks, type HostOptions, openHooks, type Session } from '@holdfast/hooks'
import { revive } from '../team/revive.js'
import type { Note } from './server.js'

export interface Opened {
  readonly hooks: Hooks
  readonly session: Session
  /** Context for the model from the beginning of the session. */
  readonly context: string | null
  /** Why the session must not begin; null when it may. */
  readonly blocked: string | null
}

export async function openEngine(
  host: HostOptions,
  onAsk: NonNullable<HostOptions['onAsk']>,
  note: Note,
): Promise<Opened> {
  const hooks = await openHooks({ ...host, onAsk })
  tellIssues(hooks, note)
  if (!hooks.host.rehearsal) void revive(hooks.host.home)
  try {
    const session = await hooks.startSession()
    return { hooks, session, context: session.started?.additionalContext ?? null, blocked: null }
  } catch (error) {
    if (!HookBlockedError.isInstance(error)) throw error
    return { hooks, session: hooks.resumeSession(), context: null, blocked: error.userMessage }
  }
}

/** A hook that does not run lets every action proceed, so the log of the client reports it. Each once. */
function tellIssues(hooks: Hooks, note: Note): void {
  const told = new Set<string>()
  const tell = () => {
    for (const { file, line, message, hint } of hooks.issues()) {
      const place = file ? `${file}${line === null ? '' : `:${line}`} ` : ''
      const text = `${place}${message}${hint ? ` ${hint}` : ''}`
      if (!told.has(text)) note(text)
      told.add(text)
    }
  }
  tell()
  hooks.onChange(tell)
}

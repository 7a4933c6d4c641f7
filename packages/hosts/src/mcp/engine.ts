// The engine of one connection: opened when the client greets, because only then is it known whether the client can
// put a question to the person.

import {
  type AskQuestion,
  type Hooks,
  type HostOptions,
  isBlocked,
  openHooks,
  type Session,
} from '@holdfast/hooks'
import { findEvent } from '@holdfast/hooks/protocol'
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
  ask: ((question: AskQuestion) => Promise<boolean>) | undefined,
  note: Note,
): Promise<Opened> {
  const hooks = await openHooks({ ...host, ...(ask ? { onAsk: ask } : {}) })
  tellIssues(hooks, note)
  const session = await hooks.startSession()
  if (!hooks.host.rehearsal) void revive(hooks.host.home)
  const { started } = session
  const isStopped = started !== undefined && isBlocked(started)
  return {
    hooks,
    session,
    context: started?.additionalContext ?? null,
    blocked: isStopped ? blockWords(started) : null,
  }
}

function blockWords(started: NonNullable<Session['started']>): string {
  const text = findEvent(started.event)?.blocked?.user ?? 'The session was blocked by a hook'
  return started.userMessage ? `${text}: ${started.userMessage}` : text
}

/** A hook that does not run lets everything through; whoever reads the client's log shall see it. Each once. */
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

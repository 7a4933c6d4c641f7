// Whether the session has ended. An open page stays, with unsaved text, until the user has signed in again.

import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let over = false

export function setOver(next: boolean): void {
  if (next === over) return
  over = next
  for (const listener of listeners) listener()
}

export const useIsOver = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => over,
  )

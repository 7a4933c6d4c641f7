// Whether the server still knows who this page is. When that ends while a page is open the page stays, with everything
// that was typed into it, until the person is back.

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

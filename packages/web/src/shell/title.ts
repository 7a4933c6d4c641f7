// The name of the open page, for the tab of the browser and the breadcrumbs.

import { useLayoutEffect, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let current: string | undefined

function setTitle(next: string | undefined): void {
  current = next
  for (const listener of listeners) listener()
}

export function usePageTitle(title: string | undefined): void {
  useLayoutEffect(() => {
    setTitle(title)
    return () => setTitle(undefined)
  }, [title])
}

export const useTitle = (): string | undefined =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => current,
  )

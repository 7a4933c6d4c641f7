// Unsaved changes: leaving the page asks for confirmation.

import { useEffect } from 'react'

const pages = new Set<symbol>()

export const hasUnsaved = (): boolean => pages.size > 0

export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const page = Symbol('page')
    pages.add(page)
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => {
      pages.delete(page)
      removeEventListener('beforeunload', ask)
    }
  }, [isUnsaved])
}

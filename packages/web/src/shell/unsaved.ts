// What somebody has typed and nobody has kept: no page may be left over it without a question.

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

// What the palette offers: where one can go, and what the page that is open can do.

import { useEffect, useRef } from 'react'

export interface Command {
  readonly label: string
  /** A word on the right: the kind of thing it is. */
  readonly kind: string
  readonly keys?: string
  readonly run: () => void
}

const tables = new Set<() => readonly Command[]>()

export const commands = (): Command[] => [...tables].reverse().flatMap(read => read())

export function useCommands(table: readonly Command[]): void {
  const latest = useRef(table)
  latest.current = table
  useEffect(() => {
    const read = () => latest.current
    tables.add(read)
    return () => void tables.delete(read)
  }, [])
}

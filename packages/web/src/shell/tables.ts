import { useEffect, useRef } from 'react'

/** A list that the mounted components fill, such as the shortcuts. Later components come first: the topmost has priority. */
export function openTables<Row>() {
  const tables = new Set<() => readonly Row[]>()
  return {
    rows: (): Row[] => [...tables].reverse().flatMap(read => read()),
    useRows(table: readonly Row[]): void {
      const latest = useRef(table)
      latest.current = table
      // biome-ignore lint/correctness/useExhaustiveDependencies: the set never changes.
      useEffect(() => {
        const read = () => latest.current
        tables.add(read)
        return () => void tables.delete(read)
      }, [])
    },
  }
}

// Parts of one page of which one is seen. The arrows walk them.

import { useRef } from 'react'
import styles from './tabs.module.css'

export interface TabListProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly (readonly [name: Name, label: string])[]
  readonly chosen: Name
  readonly onChoose: (name: Name) => void
}

export function TabList<Name extends string>({ label, tabs, chosen, onChoose }: TabListProps<Name>) {
  const list = useRef<HTMLDivElement>(null)
  const walk = (step: number) => {
    const at = tabs.findIndex(([name]) => name === chosen)
    const next = (at + step + tabs.length) % tabs.length
    onChoose(tabs[next]![0])
    ;(list.current?.children[next] as HTMLElement | undefined)?.focus()
  }
  return (
    <div ref={list} className={styles.tabs} role="tablist" aria-label={label}>
      {tabs.map(([name, words]) => (
        <button
          key={name}
          type="button"
          className={styles.tab}
          role="tab"
          aria-selected={name === chosen}
          tabIndex={name === chosen ? 0 : -1}
          onClick={() => onChoose(name)}
          onKeyDown={event => {
            if (event.key === 'ArrowRight') walk(1)
            else if (event.key === 'ArrowLeft') walk(-1)
            else return
            event.preventDefault()
          }}
        >
          {words}
        </button>
      ))}
    </div>
  )
}

import { useRouter } from '@tanstack/react-router'
import { type MouseEvent, useEffect, useId, useState } from 'react'
import { line } from '../words/plain.js'
import { type Command, commands, type Find } from './commands.js'
import { Dialog } from './dialog.js'
import { DOCS, docsAddress } from './docs.js'
import { keyCaps } from './keys.js'
import styles from './palette.module.css'

const MOST = 50
const TYPING_MS = 150
const DOCS_COMMANDS: readonly Command[] = DOCS.map(([file, label]) => ({
  label,
  kind: 'docs',
  href: docsAddress(file),
}))

export function Palette({ find, onClose }: { readonly find: Find; readonly onClose: () => void }) {
  const router = useRouter()
  const [all] = useState(commands)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { objects, isSearching } = useFound(find, text.trim())
  const list = useId()
  const isEmpty = text.trim() === ''
  const found = [...matching(all, text), ...objects, ...(isEmpty ? [] : matching(DOCS_COMMANDS, text))].slice(
    0,
    MOST,
  )
  const chosen = Math.min(at, found.length - 1)
  const run = ({ href, run }: Command) => {
    onClose()
    if (href?.startsWith('/')) router.history.push(href)
    else if (href) open(href, '_blank', 'noopener')
    run?.()
  }
  const press = (event: MouseEvent, command: Command) => {
    // Another tab or window: the browser opens the link.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    run(command)
  }
  return (
    <Dialog title="Search or jump to" quiet onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={found[chosen] ? `${list}-${chosen}` : undefined}
        aria-label="Search or jump to"
        placeholder="Pages, hooks, devices, people, sessions, docs"
        value={text}
        onChange={event => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={event => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (step !== 0) {
            event.preventDefault()
            setAt((chosen + step + found.length) % Math.max(1, found.length))
          } else if (event.key === 'Enter' && found[chosen]) run(found[chosen])
        }}
      />
      <div className={styles.list} role="listbox" id={list} aria-label="Results" aria-busy={isSearching}>
        {found.map((command, index) => {
          const Row = command.href ? 'a' : 'div'
          return (
            <Row
              key={`${command.kind} ${command.label} ${command.href ?? ''}`}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              className={styles.option}
              href={command.href}
              onMouseMove={() => setAt(index)}
              onClick={(event: MouseEvent) => press(event, command)}
            >
              <span className={styles.label}>{line(command.label)}</span>
              {command.keys ? keyCaps(command.keys).map(cap => <kbd key={cap}>{cap}</kbd>) : null}
              <span className="faint">{command.kind}</span>
            </Row>
          )
        })}
        {found.length === 0 ? (
          <p className={styles.nothing}>{isSearching ? 'Searching' : `No results for “${text}”.`}</p>
        ) : null}
      </div>
    </Dialog>
  )
}

interface Found {
  readonly text: string
  readonly objects: readonly Command[]
}

/** Searches after a pause in typing. Results of an earlier text stay until the next ones arrive. */
function useFound(find: Find, text: string): { objects: readonly Command[]; isSearching: boolean } {
  const [found, setFound] = useState<Found>({ text: '', objects: [] })
  useEffect(() => {
    if (text === '') return setFound({ text, objects: [] })
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      const objects = await find(text, stop.signal).catch(() => [])
      if (!stop.signal.aborted) setFound({ text, objects })
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [find, text])
  return { objects: found.objects, isSearching: found.text !== text }
}

/** All words of the text must occur. Labels that begin with the first word come first. */
function matching(all: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = all.filter(({ label, kind }) =>
    words.every(word => `${label} ${kind}`.toLowerCase().includes(word)),
  )
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1)
  return hits.sort((a, b) => rank(a) - rank(b))
}

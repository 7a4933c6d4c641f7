import { useId, useState } from 'react'
import { line } from '../words/plain.js'
import { type Command, commands } from './commands.js'
import { Dialog } from './dialog.js'
import { keyCaps } from './keys.js'
import styles from './palette.module.css'

const MOST = 50

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [all] = useState(commands)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const found = matching(all, text)
  const chosen = Math.min(at, found.length - 1)
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
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
        placeholder="Search or jump to"
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
          } else if (event.key === 'Enter') run(found[chosen])
        }}
      />
      <div className={styles.list} role="listbox" id={list} aria-label="What was found">
        {found.map((command, index) => (
          <div
            key={`${command.kind} ${command.label}`}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className={styles.option}
            onMouseMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <span className={styles.label}>{line(command.label)}</span>
            {command.keys ? keyCaps(command.keys).map(cap => <kbd key={cap}>{cap}</kbd>) : null}
            <span className="faint">{command.kind}</span>
          </div>
        ))}
        {found.length === 0 ? <p className={styles.nothing}>Nothing is called “{text}”.</p> : null}
      </div>
    </Dialog>
  )
}

/** All words of the text must be there; what begins with it comes first. */
function matching(all: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = all.filter(({ label, kind }) =>
    words.every(word => `${label} ${kind}`.toLowerCase().includes(word)),
  )
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1)
  return hits.sort((a, b) => rank(a) - rank(b)).slice(0, MOST)
}

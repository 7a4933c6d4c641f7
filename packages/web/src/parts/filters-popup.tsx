// A chip that opens a popover under itself. The browser keeps it on top, closes it by Esc or a click elsewhere, and restores
// the focus.

import { ChevronDown } from 'lucide-react'
import { type ReactNode, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import styles from './filters.module.css'

export interface Popup {
  open(): void
  close(): void
}

export interface PopupProps {
  /** The accessible name of the popover. */
  readonly label: string
  /** On the chip. */
  readonly words: ReactNode
  readonly isSet?: boolean
  readonly children: (close: () => void) => ReactNode
  readonly ref?: React.Ref<Popup> | undefined
  readonly className?: string | undefined
}

const EDGE_PX = 8

export function PopupChip({ label, words, isSet = false, children, ref, className }: PopupProps) {
  const id = useId()
  const chip = useRef<HTMLButtonElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    sheet.current?.hidePopover()
    chip.current?.focus()
  }
  useImperativeHandle(ref, () => ({ open: () => sheet.current?.showPopover(), close }))
  // Its width depends on its content, so it is placed after the content is drawn.
  useLayoutEffect(() => {
    if (!isOpen || !chip.current || !sheet.current) return
    place(sheet.current, chip.current)
    sheet.current.querySelector<HTMLElement>('input, button')?.focus()
  }, [isOpen])
  return (
    <>
      <button
        ref={chip}
        type="button"
        className={[styles.chip, className].filter(Boolean).join(' ')}
        data-set={isSet || undefined}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {words}
        <ChevronDown size={12} aria-hidden="true" className={styles.arrow} />
      </button>
      <div
        ref={sheet}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={styles.sheet}
        onKeyDown={walk}
        data-placed={isOpen || undefined}
        onToggle={event => setOpen(event.newState === 'open')}
      >
        {isOpen ? children(close) : null}
      </div>
    </>
  )
}

function place(sheet: HTMLElement, chip: HTMLElement): void {
  const at = chip.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  sheet.style.maxWidth = `${clientWidth - 2 * EDGE_PX}px`
  const left = Math.max(EDGE_PX, Math.min(at.left, clientWidth - sheet.offsetWidth - EDGE_PX))
  const below = clientHeight - at.bottom - 2 * EDGE_PX
  sheet.style.left = `${left}px`
  sheet.style.top = `${at.bottom + 4}px`
  sheet.style.maxHeight = `${Math.max(160, below)}px`
}

/** The arrow keys move between options. */
function walk(event: React.KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const target = event.target as HTMLElement
  if (step === 0 || target.matches('[type="datetime-local"], [type="radio"]')) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, button')]
  event.preventDefault()
  stops[(stops.indexOf(target) + step + stops.length) % stops.length]?.focus()
}

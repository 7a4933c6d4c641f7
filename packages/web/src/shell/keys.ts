// One table of keys: what is bound is what the help shows. Single keys rest while somebody types.

import { useEffect, useRef } from 'react'

export interface Binding {
  /** One key ("j", "?"), two in a row ("g h"), or with the command key ("mod+k"). */
  readonly keys: string
  readonly label: string
  readonly group: string
  readonly run: (event: KeyboardEvent) => void
  /** Whether it is meant here; else the key does what it always does. */
  readonly when?: (event: KeyboardEvent) => boolean
}

const tables = new Set<() => readonly Binding[]>()
const ASIDE_MS = 1000
const SETTING = 'holdfast.keys'
let first = ''
let firstAt = 0

/** Later tables come first: what is open on top answers. */
export const bindings = (): Binding[] => [...tables].reverse().flatMap(read => read())

export function useKeys(table: readonly Binding[]): void {
  const latest = useRef(table)
  latest.current = table
  useEffect(() => {
    const read = () => latest.current
    tables.add(read)
    return () => void tables.delete(read)
  }, [])
}

/** Single keys can be switched off, for who speaks to the machine. */
export const areKeysOn = (): boolean => localStorage.getItem(SETTING) !== 'off'
export const switchKeys = (on: boolean): void => localStorage.setItem(SETTING, on ? 'on' : 'off')

export function listenForKeys(): () => void {
  const hear = (event: KeyboardEvent) => {
    if (event.isComposing || event.defaultPrevented) return
    const isMod = event.metaKey || event.ctrlKey
    const name = event.key === ' ' ? 'space' : event.key
    if (isMod) return press(`mod+${name.toLowerCase()}`, event)
    if (event.altKey || !areKeysOn() || isTyping(event)) return
    const now = performance.now()
    const both = first !== '' && now - firstAt < ASIDE_MS ? `${first} ${name}` : ''
    first = name
    firstAt = now
    if (both !== '' && press(both, event)) {
      first = ''
      return
    }
    press(name, event)
  }
  addEventListener('keydown', hear)
  return () => removeEventListener('keydown', hear)
}

function press(keys: string, event: KeyboardEvent): boolean {
  const found = bindings().find(binding => binding.keys === keys && (binding.when?.(event) ?? true))
  if (!found) return false
  event.preventDefault()
  found.run(event)
  return true
}

/** In a field, in an editor, and inside anything that lies over the page. */
function isTyping({ target }: KeyboardEvent): boolean {
  const element = target as Element | null
  return !!element?.closest?.(
    'input, textarea, select, [contenteditable="true"], dialog, [role="dialog"], [role="menu"], [role="listbox"]',
  )
}

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** As it is printed on the keys. */
export const keyCaps = (keys: string): string[] =>
  keys
    .split(/[ +]/)
    .map(key => CAPS[key] ?? (key.length === 1 && keys.includes('mod') ? key.toUpperCase() : key))
const CAPS: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : 'Ctrl',
  enter: '↵',
  Enter: '↵',
  Escape: 'Esc',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
}

/** Keys that also scroll or press what is focused do so there. */
export const isElsewhere = ({ target }: KeyboardEvent) =>
  !!(target as Element | null)?.closest?.('aside, pre, button, a, summary, [role="slider"]')

// One table of shortcuts for binding and help. Single keys are off in text fields.

import { openTables } from './tables.js'

export interface Binding {
  /** One key ("j", "?"), two in a row ("g h"), or with the command key ("mod+k"). */
  readonly keys: string
  readonly label: string
  readonly group: string
  readonly run: (event: KeyboardEvent) => void
  /** Whether it applies; otherwise the browser handles the key. */
  readonly when?: (event: KeyboardEvent) => boolean
}

const ASIDE_MS = 1000
const SETTING = 'holdfast.keys'
let first = ''
let firstAt = 0

export const { rows: bindings, useRows: useKeys } = openTables<Binding>()

/** Single keys can be switched off, for users of speech input. */
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

/** In a field, in an editor, and inside of overlays. */
function isTyping({ target }: KeyboardEvent): boolean {
  const element = target as Element | null
  return !!element?.closest?.(
    'input, textarea, select, [contenteditable="true"], dialog, [role="dialog"], [role="menu"], [role="listbox"]',
  )
}

const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** As printed on keyboards. */
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

/** Keys that scroll or press the focused element keep that meaning there. */
export const isElsewhere = ({ target }: KeyboardEvent) =>
  !!(target as Element | null)?.closest?.('aside, pre, button, a, summary, [role="slider"]')

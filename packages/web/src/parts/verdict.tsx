// A verdict is a shape and a word; colour only helps. Only those that need attention are filled.

import type { ReactNode } from 'react'
import styles from './verdict.module.css'

export const VERDICTS = ['allow', 'ask', 'deny', 'observed_deny', 'failed_open', 'failed', 'none'] as const
export type VerdictName = (typeof VERDICTS)[number]

interface Look {
  readonly word: string
  readonly tone: 'allow' | 'ask' | 'deny' | 'open' | 'none'
  readonly filled: boolean
  readonly glyph: ReactNode
}

const stroke = { fill: 'none', stroke: 'currentColor', strokeWidth: 1.6, strokeLinecap: 'round' } as const

const OCTAGON = (
  <>
    <path d="M4.5 1h5L13 4.5v5L9.5 13h-5L1 9.5v-5z" fill="currentColor" />
    <path d="M4.5 7h5" stroke="var(--surface)" strokeWidth={1.8} strokeLinecap="round" />
  </>
)
const LOOKS: Readonly<Record<string, Look>> = {
  allow: { word: 'allow', tone: 'allow', filled: false, glyph: <path d="M2.5 7.5l3 3 6-7" {...stroke} /> },
  ask: {
    word: 'ask',
    tone: 'ask',
    filled: true,
    glyph: <path d="M7 1.5L12.5 7 7 12.5 1.5 7z M7 4.6v3 M7 9.6v.1" {...stroke} />,
  },
  deny: { word: 'deny', tone: 'deny', filled: true, glyph: OCTAGON },
  observed_deny: {
    word: 'would deny',
    tone: 'deny',
    filled: false,
    glyph: <path d="M4.5 1.5h5l3 3v5l-3 3h-5l-3-3v-5z M4.5 7h5" {...stroke} />,
  },
  failed_open: {
    word: 'failed open',
    tone: 'open',
    filled: true,
    glyph: <path d="M7 1.8A5.2 5.2 0 1 1 2 8.6 M2 5.4a5.2 5.2 0 0 1 1.6-2.2 M8 6l4-4 M9 2h3v3" {...stroke} />,
  },
  failed: {
    word: 'failed',
    tone: 'ask',
    filled: false,
    glyph: <path d="M3 3l8 8 M11 3l-8 8" {...stroke} />,
  },
  none: { word: 'no decision', tone: 'none', filled: false, glyph: <path d="M3.5 7h7" {...stroke} /> },
  silent: { word: 'no decision', tone: 'none', filled: false, glyph: <path d="M3.5 7h7" {...stroke} /> },
  answered: {
    word: 'responded',
    tone: 'none',
    filled: false,
    glyph: <path d="M2.5 7.5l3 3 6-7" {...stroke} />,
  },
}

const lookOf = (name: string): Look =>
  LOOKS[name] ?? { word: name.replaceAll('_', ' ') || 'unknown', tone: 'none', filled: false, glyph: null }

export const verdictWord = (name: string): string => lookOf(name).word

/** The colour of its bar in charts. */
export const barColour = (name: string): string =>
  // A denial without effect is paler; a failure must differ from "ask".
  name === 'observed_deny'
    ? 'color-mix(in srgb, var(--deny-bar) 45%, var(--surface))'
    : name === 'failed'
      ? 'color-mix(in srgb, var(--open-bar) 45%, var(--surface))'
      : `var(--${lookOf(name).tone}-bar)`

export const Verdict = ({ name, count }: { readonly name: string; readonly count?: number }) => {
  const { word, tone, filled } = lookOf(name)
  return (
    <span className={styles.verdict} data-tone={tone} data-filled={filled || undefined}>
      <Shape name={name} />
      {count === undefined ? word : `${count} ${word}`}
    </span>
  )
}

/** Only the shape, beside a name; the word is a tooltip. */
export const VerdictMark = ({ name }: { readonly name: string }) => {
  const { word, tone } = lookOf(name)
  return (
    <span className={styles.verdict} data-tone={tone} role="img" aria-label={word} title={word}>
      <Shape name={name} />
    </span>
  )
}

const Shape = ({ name }: { readonly name: string }) => (
  <svg className={styles.glyph} viewBox="0 0 14 14" aria-hidden="true">
    {lookOf(name).glyph}
  </svg>
)

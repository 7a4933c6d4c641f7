// Text from elsewhere that may be huge: its beginning, how much that is of it, and the ways to the rest.

import { type ReactNode, useMemo, useRef, useState } from 'react'
import { bytes as inBytes } from '../words/number.js'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import { handOver } from './hand-over.js'
import styles from './long-text.module.css'
import { piecesOf } from './pieces.js'

/** Drawn at once; a panel sends no more of a text, either. */
const MOST_LETTERS = 256 * 1024

export interface LongTextProps {
  readonly label: string
  /** The whole, or its beginning. */
  readonly text: string
  /** Of a beginning: how long the whole is, and how it is had. */
  readonly rest?: { readonly bytes: number; readonly read: () => Promise<string> } | undefined
  readonly isJson?: boolean
  /** What it is called when it is saved. */
  readonly file: string
  /** Gets text that is safe to look at. */
  readonly draw?: (shown: string) => ReactNode
}

type Asked = 'nothing' | 'whole' | 'file'

export function LongText({ label, text, rest, isJson = false, file, draw }: LongTextProps) {
  const box = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState<string | null>(null)
  const [asked, setAsked] = useState<Asked>('nothing')
  const [problem, setProblem] = useState('')
  const beginning = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS).replace(HALF, '') : text
  const isLong = rest !== undefined || beginning !== text
  const shown = useMemo(() => lines(whole ?? beginning), [whole, beginning])
  const get = async (what: Asked, use: (text: string) => void) => {
    setAsked(what)
    setProblem('')
    try {
      use(whole ?? (rest ? await rest.read() : text))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setAsked('nothing')
  }
  const show = (text: string) => {
    setWhole(text)
    // The button that was pressed goes away.
    box.current!.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true })
  }
  const save = (text: string) =>
    handOver(safeName(file), new Blob([text], { type: isJson ? 'application/json' : 'text/plain' }))
  return (
    <div ref={box} className={styles.long}>
      {draw ? draw(shown) : <Block label={label} text={shown} />}
      {isLong ? (
        <div className={styles.rest}>
          <span>
            {whole === null
              ? `The first ${inBytes(sizeOf(beginning))} of ${inBytes(rest?.bytes ?? sizeOf(text))}.${isJson ? ' It ends in the middle of the JSON.' : ''}`
              : `All of it, ${inBytes(sizeOf(whole))}.`}
          </span>
          {whole === null ? (
            <Button kind="quiet" busy={asked === 'whole'} onClick={() => void get('whole', show)}>
              Show all
            </Button>
          ) : null}
          <Button
            kind="quiet"
            aria-label={`Download ${label}`}
            busy={asked === 'file'}
            onClick={() => void get('file', save)}
          >
            Download
          </Button>
        </div>
      ) : null}
      {problem ? <p role="alert">The rest could not be read: {lines(problem)}</p> : null}
    </div>
  )
}

export interface BlockProps {
  readonly label: string
  /** Safe to look at. */
  readonly text: string
  /** As high as a dialog lets it be. */
  readonly isTall?: boolean
}

export function Block({ label, text, isTall = false }: BlockProps) {
  const pieces = useMemo(() => piecesOf(text), [text])
  return (
    <pre
      className={styles.text}
      data-tall={isTall || undefined}
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      {pieces.length < 2
        ? text
        : pieces.map((piece, index) => (
            <span key={index} className={styles.piece}>
              {piece}
            </span>
          ))}
    </pre>
  )
}

/** A pair that was cut in two. */
const HALF = /[\ud800-\udbff]$/

const sizeOf = (text: string): number => new Blob([text]).size

/** Names come from logs, too. */
const safeName = (file: string): string => file.replace(/[^\w.-]+/g, '-').slice(-100)

// Text of any size from elsewhere: its beginning, its size, and buttons for the rest.

import { type ReactNode, useMemo, useRef, useState } from 'react'
import { bytes as inBytes } from '../words/number.js'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import { handOver } from './hand-over.js'
import styles from './long-text.module.css'
import { piecesOf } from './pieces.js'

/** Drawn at once; the panel sends no more of a text, either. */
const MOST_LETTERS = 256 * 1024

export interface LongTextProps {
  readonly label: string
  /** The text, or its beginning. */
  readonly text: string
  /** For a beginning: the size of the complete text, and how to load it. */
  readonly rest?: { readonly bytes: number; readonly read: () => Promise<string> } | undefined
  readonly isJson?: boolean
  /** The name of the file to save. */
  readonly file: string
  /** Receives escaped text. */
  readonly draw?: (shown: string) => ReactNode
}

type TextRequest = 'nothing' | 'whole' | 'file'

export function LongText({ label, text, rest, isJson = false, file, draw }: LongTextProps) {
  const box = useRef<HTMLDivElement>(null)
  const [whole, setWhole] = useState<string | null>(null)
  const [asked, setAsked] = useState<TextRequest>('nothing')
  const [problem, setProblem] = useState('')
  const beginning = text.length > MOST_LETTERS ? text.slice(0, MOST_LETTERS).replace(HALF, '') : text
  const isLong = rest !== undefined || beginning !== text
  const shown = useMemo(() => lines(whole ?? beginning), [whole, beginning])
  const get = async (what: TextRequest, use: (text: string) => void) => {
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
    // The pressed button is removed.
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
  /** Escaped. */
  readonly text: string
  /** As high as the dialog allows. */
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

/** Half of a surrogate pair. */
const HALF = /[\ud800-\udbff]$/

const sizeOf = (text: string): number => new Blob([text]).size

/** Names come from logs and can contain anything. */
const safeName = (file: string): string => file.replace(/[^\w.-]+/g, '-').slice(-100)

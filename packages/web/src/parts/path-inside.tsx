// The origin of a path, for its parts: the workspace folders, and how to load a text of which only the beginning is here.

import { createContext, type ReactNode, useContext } from 'react'
import { placeOf } from '../words/place.js'
import { line } from '../words/plain.js'
import { LongText } from './long-text.js'
import type { PathShape, StepShape } from './path-record.js'
import { pretty } from './path-text.js'

export interface Origin {
  /** Files below them are shown with relative paths. */
  readonly roots: readonly string[]
  /** Loads a text of one run, or of the event. */
  readonly read?: ((text: string, runId: string | undefined) => Promise<string>) | undefined
}

export const From = createContext<Origin>({ roots: [] })

export function Place({ file, at }: { readonly file: string; readonly at: number }) {
  const { roots } = useContext(From)
  return file ? <span title={line(file)}>{line(placeOf(file, at, roots))}</span> : null
}

type TextOf<Shape> = { [Key in keyof Shape]: Shape[Key] extends string ? Key : never }[keyof Shape] & string

type LongProps = {
  readonly label: string
  readonly draw?: (shown: string) => ReactNode
} & (
  | { readonly of: PathShape; readonly name: TextOf<PathShape> }
  | { readonly of: StepShape; readonly name: TextOf<StepShape> }
)

/** One of its texts, of any size. */
export function Long({ of, name, label, draw }: LongProps) {
  const { read } = useContext(From)
  const text = (of as unknown as Readonly<Record<string, string>>)[name]!
  const runId = 'runId' in of ? of.runId : of.steps[0]?.runId
  const cut = of.cuts.find(each => each.text === name)
  const isJson = name.endsWith('Json')
  const file = `${name.replace(/Json$/, '')}-${runId || 'fired'}.${isJson ? 'json' : 'txt'}`
  return (
    <LongText
      label={label}
      // A shortened text is not valid JSON.
      text={isJson && !cut ? pretty(text) : text}
      file={file}
      isJson={isJson}
      rest={cut && read ? { bytes: cut.bytes, read: () => read(name, runId) } : undefined}
      {...(draw ? { draw } : {})}
    />
  )
}

// What parts of a path know of where it came from: the folders of its files, and how the whole of a text is had of which
// only the beginning is here.

import { createContext, type ReactNode, useContext } from 'react'
import { placeOf } from '../words/place.js'
import { line } from '../words/plain.js'
import { LongText } from './long-text.js'
import type { PathShape, StepShape } from './path-record.js'
import { pretty } from './path-text.js'

export interface Origin {
  /** Files below them are called by the rest of their path. */
  readonly roots: readonly string[]
  /** Of one run, or of the event. */
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

/** One of its texts, however long that is. */
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
      // What was cut is no JSON, even where it looks like some.
      text={isJson && !cut ? pretty(text) : text}
      file={file}
      isJson={isJson}
      rest={cut && read ? { bytes: cut.bytes, read: () => read(name, runId) } : undefined}
      {...(draw ? { draw } : {})}
    />
  )
}

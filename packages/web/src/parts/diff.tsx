// Two texts and what differs between them: beside each other where there is room, else in one.

import { lazy, Suspense } from 'react'
import type { LanguageName } from './editor/languages.js'
import { Loading } from './states.js'

export interface DiffProps {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly language?: LanguageName | undefined
  /** What stands on each side, such as "on disk" and "yours". */
  readonly names?: readonly [before: string, after: string] | undefined
  /** Without it: by the width. */
  readonly way?: 'beside' | 'unified' | undefined
  /** The right side can be edited, and pieces of the left taken over; says what it now holds. */
  readonly onChange?: ((after: string) => void) | undefined
}

/** Fetches it before it is needed: a server that is gone by then cannot hand it out. */
export const loadDiff = () => import('./diff/view.js').catch(() => ({ default: NoComparison }))
const Inside = lazy(loadDiff)

const NoComparison = ({ label }: DiffProps) => (
  <p className="muted">The comparison of {label} could not be loaded. Nothing is lost by that.</p>
)

export const Diff = (props: DiffProps) => (
  <Suspense fallback={<Loading rows={8} label="Loading the comparison" />}>
    <Inside {...props} />
  </Suspense>
)

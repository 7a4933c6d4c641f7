// Two texts and their differences: in two columns on wide screens, else in one.

import { lazy, Suspense } from 'react'
import type { LanguageName } from './editor/languages.js'
import { Loading } from './states.js'

export interface DiffProps {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly language?: LanguageName | undefined
  /** The names of both sides, such as "on disk" and "your text". */
  readonly names?: readonly [before: string, after: string] | undefined
  /** In one column at any width. */
  readonly isUnified?: boolean
  /** Makes the right side editable; receives its text after each change. */
  readonly onChange?: ((after: string) => void) | undefined
}

/** Loads it before it is needed, as the server may be gone by then. */
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

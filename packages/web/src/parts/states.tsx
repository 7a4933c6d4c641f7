// The states of a part of a page without content: loading, empty, failed, or without permission.

import { Code, ConnectError } from '@connectrpc/connect'
import { type ReactNode, useEffect, useState } from 'react'
import { lines } from '../words/plain.js'
import { Button } from './button.js'
import styles from './states.module.css'

/** Fast responses show no loading state. */
const PATIENCE_MS = 150

export function Loading({
  rows = 6,
  label = 'Loading',
}: {
  readonly rows?: number
  readonly label?: string
}) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return <div className={styles.waiting} aria-busy="true" data-bones />
  return (
    <div className={styles.loading} role="status" aria-label={label} data-bones>
      {Array.from({ length: rows }, (_, index) => (
        <span key={`row ${index + 1}`} className={styles.bone} />
      ))}
    </div>
  )
}

export interface EmptyProps {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}

export const Empty = ({ title, children, action }: EmptyProps) => (
  <div className={styles.state}>
    <h2>{title}</h2>
    {children ? <div className={styles.words}>{children}</div> : null}
    {action}
  </div>
)

/** No results for the filters, with a button that clears them. */
export const Filtered = ({ what, onClear }: { readonly what: string; readonly onClear: () => void }) => (
  <Empty title={`No ${what} match`} action={<Button onClick={onClear}>Clear the filters</Button>}>
    There may be some without the filters.
  </Empty>
)

export function Failed({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { code, rawMessage } = ConnectError.from(error)
  if (code === Code.PermissionDenied)
    return <Empty title="Your role has no access">{lines(rawMessage)}</Empty>
  if (code === Code.NotFound) return <Empty title="Not here">{lines(rawMessage)}</Empty>
  return (
    <div className={styles.state} role="alert">
      <h2>Loading failed</h2>
      <p className={styles.words}>{lines(rawMessage) || 'The server did not respond.'}</p>
      {onRetry ? <Button onClick={onRetry}>Try again</Button> : null}
    </div>
  )
}

interface QueryState<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly isPending: boolean
  readonly refetch: () => unknown
}

/** A part of a page that depends on one query. Its content stays while the query reloads. */
export function Region<T>({
  of,
  children,
  loading = <Loading />,
}: {
  readonly of: QueryState<T>
  readonly children: (data: T) => ReactNode
  readonly loading?: ReactNode
}) {
  if (of.data !== undefined) return children(of.data)
  if (of.error) return <Failed error={of.error} onRetry={() => of.refetch()} />
  return loading
}

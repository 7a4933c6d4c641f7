// A line that says more than a label: in a form, above a list, or over every page.

import type { ConnectError } from '@connectrpc/connect'
import type { ReactNode } from 'react'
import styles from './notice.module.css'

export interface NoticeProps {
  readonly tone?: 'none' | 'accent' | 'allow' | 'ask' | 'deny'
  /** Across the page, with a line below it. */
  readonly isBanner?: boolean
  readonly role?: 'alert' | 'status'
  readonly children: ReactNode
}

export const Notice = ({ tone = 'none', isBanner = false, role, children }: NoticeProps) => (
  <div className={styles.notice} data-tone={tone} data-banner={isBanner || undefined} role={role}>
    {children}
  </div>
)

/** The message of the server after a failed request. */
export const Refused = ({
  error,
  otherwise = 'The server did not answer.',
}: {
  readonly error: Pick<ConnectError, 'rawMessage'> | null | undefined
  readonly otherwise?: string
}) =>
  error ? (
    <Notice tone="deny" role="alert">
      {error.rawMessage || otherwise}
    </Notice>
  ) : null

// The state of the connection, in a word.

import { useEffect, useState } from 'react'
import { clock } from '../words/time.js'
import styles from './connection.module.css'
import { type Live, type LiveState, useLiveState } from './live.js'

export function Connection({ live }: { readonly live: Live }) {
  const state = useLiveState(live)
  const [, tick] = useState(0)
  useEffect(() => {
    if (state.kind !== 'offline') return
    const timer = setInterval(() => tick(count => count + 1), 1000)
    return () => clearInterval(timer)
  }, [state])
  return (
    <span className={styles.connection} data-state={state.kind} role="status">
      <span className={styles.dot} aria-hidden="true" />
      <span className={styles.words}>{words(state)}</span>
      {state.kind === 'offline' ? (
        <button type="button" className={styles.retry} onClick={live.retry}>
          Try now
        </button>
      ) : null}
    </span>
  )
}

function words(state: LiveState): string {
  switch (state.kind) {
    case 'connecting':
      return 'Connecting'
    case 'live':
      return 'Live'
    case 'stale':
      return `As of ${clock(state.since)}`
    case 'offline':
      return `Offline, again in ${Math.max(0, Math.ceil((state.retryAt - Date.now()) / 1000))} s`
  }
}

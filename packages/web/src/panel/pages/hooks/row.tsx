// One hook of the list, with its problems below.

import { Link } from '@tanstack/react-router'
import type { Hook } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../../parts/button.js'
import { Verdict } from '../../../parts/verdict.js'
import { withTexts } from '../../../shell/search.js'
import { line } from '../../../words/plain.js'
import { hooks as route } from '../../routes.js'
import styles from './hooks.module.css'
import { ProblemList } from './problems.js'
import { needsTrust } from './shown.js'
import { HookState, LastRun, Took } from './state.js'

export interface HookRowProps {
  readonly hook: Hook
  readonly shown: string
  readonly isChosen: boolean
  readonly onChoose: (id: string) => void
  readonly onTrust: (hook: Hook) => void
}

export const HEADS = [
  { label: 'Order', title: 'The order in which the hooks of an event run' },
  { label: 'Event' },
  { label: 'Hook' },
  { label: 'Matcher' },
  { label: 'Last verdict' },
  { label: 'p50 / p95', title: 'Half of the runs, and 95 % of them, took no longer' },
  { label: 'Failed open', title: 'Runs that failed while the action proceeded' },
]

export function HookRow({ hook, shown, isChosen, onChoose, onTrust }: HookRowProps) {
  const search = route.useSearch()
  const open = hook.history?.failedOpen ?? 0
  return (
    <>
      {/* The link in the row is for the keys. */}
      <div
        role="row"
        tabIndex={-1}
        className={styles.row}
        data-chosen={isChosen || undefined}
        data-hook={hook.id}
        onClick={event => {
          if (!(event.target as Element).closest('a, button')) onChoose(hook.id)
        }}
      >
        <span role="cell" className={styles.order} title={`Runs as number ${hook.order} of ${hook.event}`}>
          {hook.order || ''}
        </span>
        <span role="cell" className={styles.event}>
          {hook.event}
        </span>
        <span role="cell" className={styles.script}>
          <Link
            to="/hooks"
            search={withTexts(search, { hook: hook.id })}
            className={`${styles.name} mono`}
            title={line(hook.command)}
            aria-current={isChosen || undefined}
          >
            {line(hook.name || hook.command)}
          </Link>
          <HookState hook={hook} />
        </span>
        <span role="cell" className={`${styles.matcher} mono`} title={line(hook.matcher)}>
          {hook.matcher ? line(hook.matcher) : <span className="faint">none</span>}
        </span>
        <span role="cell" className={styles.lastCell}>
          <LastRun hook={hook} />
        </span>
        <span role="cell" className={styles.tookCell}>
          <Took hook={hook} />
        </span>
        <span role="cell" className={styles.openCell}>
          {open > 0 ? <Verdict name="failed_open" count={open} /> : <span className="faint">–</span>}
        </span>
        {needsTrust(hook) ? (
          <span role="cell" className={styles.trust}>
            <Button kind="primary" onClick={() => onTrust(hook)} aria-haspopup="dialog">
              Review and trust
            </Button>
            <span className="muted">
              {hook.state === 'changed'
                ? 'It changed since it was trusted, so it does not run.'
                : 'It does not run until you trust it.'}
            </span>
          </span>
        ) : null}
        {hook.problems.length > 0 ? (
          <span role="cell" className={styles.wrong}>
            <ProblemList problems={hook.problems} label={`Problems of ${hook.name}`} shown={shown} />
          </span>
        ) : null}
      </div>
    </>
  )
}

// The hooks that will run, shown before any is started.

import { Link } from '@tanstack/react-router'
import type { ExplainResponse } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Fold } from '../../../parts/path-text.js'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import styles from './fire.module.css'

export function Plan({ plan, isOld }: { readonly plan: ExplainResponse; readonly isOld: boolean }) {
  const { runs, skipped } = plan
  const untrusted = skipped.filter(({ reason }) => reason === 'untrusted').length
  return (
    <section className={styles.plan} aria-labelledby="will-run" aria-busy={isOld}>
      <h2 id="will-run">
        {runs.length === 0 ? 'No hook will run' : `${count(runs.length, 'hook')} will run`}
      </h2>
      <p className="muted">
        {runs.length === 0
          ? 'This payload starts no hook.'
          : 'Firing runs these programs on this machine, with all their effects.'}
      </p>
      {runs.length > 0 ? (
        <ol className={styles.planned}>
          {runs.map(run => (
            <li key={run.hookId}>
              <span className={styles.source}>{run.source}</span>
              <Link to="/hooks" search={{ hook: run.hookId }} className="mono">
                {line(run.hook)}
              </Link>
              <span className="muted">{line(run.why)}</span>
            </li>
          ))}
        </ol>
      ) : null}
      {untrusted > 0 ? (
        <p>
          {count(untrusted, 'hook')} of this event {untrusted === 1 ? 'is' : 'are'} not trusted and will not
          run.{' '}
          <Link to="/hooks" search={{ state: 'untrusted,changed' }}>
            Review {untrusted === 1 ? 'it' : 'them'}
          </Link>
        </p>
      ) : null}
      {skipped.length > 0 ? (
        <Fold label={`${count(skipped.length, 'hook')} skipped, and why`}>
          {() => (
            <ul className={styles.planned}>
              {skipped.map(({ source, hook, why, reason, file, line: at }) => (
                <li key={`${source} ${hook} ${file}:${at}`}>
                  <span className={styles.source}>{source}</span>
                  <span className="mono">{line(hook)}</span>
                  <span className="muted">{line(why || reason)}</span>
                </li>
              ))}
            </ul>
          )}
        </Fold>
      ) : null}
    </section>
  )
}

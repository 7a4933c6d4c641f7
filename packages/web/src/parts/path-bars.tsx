// The duration of each hook, on one axis of milliseconds.

import { hookName } from '../words/hook.js'
import { line } from '../words/plain.js'
import { span } from '../words/time.js'
import styles from './path.module.css'
import { waterfall } from './path-layout.js'
import type { StepShape } from './path-record.js'
import { barColour } from './verdict.js'

/** More labels overlap beside a list. */
const MOST_TICKS = 3

export function Bars({ steps }: { readonly steps: readonly StepShape[] }) {
  const { bars, ticks } = waterfall(steps, MOST_TICKS)
  return (
    <div className={styles.waterfall}>
      <div className={styles.axis} aria-hidden="true">
        <span />
        <span className={styles.lane}>
          {ticks.map(({ at, left, label }) => (
            <span key={at} className={styles.tick} style={{ left: `${left * 100}%` }}>
              <span>{label}</span>
            </span>
          ))}
        </span>
        <span />
      </div>
      {steps.map((step, index) => {
        const { left, width } = bars[index]!
        return (
          <div key={step.runId || index} className={styles.bar}>
            <span className={styles.barName} title={line(step.hook)}>
              {line(hookName(step.hook))}
            </span>
            <span className={styles.lane}>
              {ticks.map(({ at, left }) => (
                <span key={at} className={styles.gridLine} style={{ left: `${left * 100}%` }} />
              ))}
              <span
                className={styles.mark}
                data-verdict={step.verdict}
                style={{
                  left: `min(${left * 100}%, 100% - 4px)`,
                  width: `${width * 100}%`,
                  ...(step.verdict === 'failed_open' ? {} : { background: barColour(step.verdict) }),
                }}
              />
            </span>
            <span className={styles.took}>{span(step.durationMs)}</span>
          </div>
        )
      })}
    </div>
  )
}

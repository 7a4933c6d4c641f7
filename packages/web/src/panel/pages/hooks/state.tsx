import type { Hook } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Verdict } from '../../../parts/verdict.js'
import { ago, span, whole } from '../../../words/time.js'
import styles from './hooks.module.css'
import { neverWords, STATE_WORDS } from './shown.js'

/** Only what differs from the usual: trusted, valid and enforced. */
export const HookState = ({ hook }: { readonly hook: Hook }) => (
  <>
    {hook.state === 'loaded' ? null : (
      <span className={styles.state} data-state={hook.state}>
        {STATE_WORDS[hook.state] ?? hook.state}
      </span>
    )}
    {hook.mode === 'observe' ? <span className={styles.state}>{STATE_WORDS.observe}</span> : null}
  </>
)

export const LastRun = ({ hook }: { readonly hook: Hook }) =>
  hook.history ? (
    <span className={styles.last}>
      <Verdict name={hook.history.lastVerdict} />
      <span className="faint" title={whole(hook.history.lastRunAt)}>
        {ago(hook.history.lastRunAt)}
      </span>
    </span>
  ) : (
    <span className="faint">{neverWords(hook)}</span>
  )

export const Took = ({ hook }: { readonly hook: Hook }) =>
  hook.history ? (
    <span className={styles.took}>
      {span(hook.history.p50Ms)} <span className="faint">/ {span(hook.history.p95Ms)}</span>
    </span>
  ) : (
    <span className="faint">–</span>
  )

import type { AdminAction } from '@holdfast/team/messages'
import { CopyButton } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import styles from './action.module.css'
import { actionWords, detailOf } from './action-words.js'

export function ActionDetail({ action }: { readonly action: AdminAction }) {
  const detail = detailOf(action.detailJson)
  return (
    <div className={styles.action}>
      <p>
        {line(action.actor)} {actionWords(action.action)} <strong>{line(action.subject)}</strong>
      </p>
      <Facts
        facts={[
          ['Time', action.at ? whole(action.at) : 'none'],
          ['Action', <code key="action">{line(action.action)}</code>],
          ...detail.map(([name, value]) => [line(name), line(value)] as const),
        ]}
      />
      <section className={styles.chain}>
        <h3>In the chain</h3>
        <Facts
          facts={[
            ['Hash', <code key="hash">{line(action.hash)}</code>],
            ['After', <code key="prev">{line(action.prev) || 'nothing: the first'}</code>],
          ]}
        />
        <CopyButton label="The hash" text={action.hash} />
      </section>
    </div>
  )
}

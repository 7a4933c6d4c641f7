import type { Device } from '@holdfast/team/messages'
import { count } from '../../../words/number.js'
import styles from './state.module.css'
import { stateWords } from './state-words.js'

/** A shape and a word, as colour alone is not enough. */
export function DeviceState({ device }: { readonly device: Device }) {
  const { words, tone, meaning } = stateWords(device, Date.now())
  return (
    <span className={styles.states}>
      <span className={styles.state} data-tone={tone} title={meaning}>
        <span className={styles.mark} aria-hidden="true" />
        {words}
      </span>
      {device.problems.length > 0 ? (
        <span className="muted">{count(device.problems.length, 'problem')}</span>
      ) : null}
      {device.looksCloned ? (
        <span className={styles.cloned} title="Two machines use the identity of this device.">
          looks cloned
        </span>
      ) : null}
    </span>
  )
}

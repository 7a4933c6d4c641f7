import { useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { CopyButton } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import { Side } from '../../../parts/page.js'
import { Region } from '../../../parts/states.js'
import { useKeys } from '../../../shell/keys.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import styles from './action.module.css'
import type { Sentence } from './clauses.js'
import { detailOf } from './detail.js'
import { sentenceOf } from './sentences.js'
import { type Told, toldOf, whoIn } from './told.js'

export interface ActionSideProps {
  readonly id: string
  /** Among those that are listed; others are asked for. */
  readonly told: Told | undefined
  readonly onClose: () => void
  readonly onStep: (by: 1 | -1) => void
}

export function ActionSide({ id, told, onClose, onStep }: ActionSideProps) {
  useKeys([
    { keys: '[', label: 'The one before', group: 'Detail', run: () => onStep(-1) },
    { keys: ']', label: 'The next one', group: 'Detail', run: () => onStep(1) },
  ])
  return (
    <Side label="Action" onClose={onClose} head={<h2>Action {line(id)}</h2>}>
      {told ? <Detail told={told} /> : <Elsewhere id={id} />}
    </Side>
  )
}

/** A link leads to one that is far below, or that the filter leaves out. */
function Elsewhere({ id }: { readonly id: string }) {
  const seq = /^[1-9][0-9]{0,8}$/.test(id) ? Number(id) : undefined
  const asked = useQuery(
    AuditService.method.listAdminActions,
    { seq: seq ?? 0, pageSize: 1 },
    { enabled: seq !== undefined },
  )
  if (seq === undefined) return <Missing />
  return (
    <Region of={asked}>
      {({ actions, names }) => {
        const [told] = toldOf(actions, names)
        return told ? <Detail told={told} /> : <Missing />
      }}
    </Region>
  )
}

const Missing = () => <p className="muted">There is no action with this number.</p>

function Detail({ told }: { readonly told: Told }) {
  const who = whoIn(told)
  return (
    <div className={styles.action}>
      <p>
        <strong>{who.text}</strong> <Words sentence={sentenceOf(told)} />
      </p>
      <Facts
        facts={[
          ['Time', told.at ? whole(told.at) : 'none'],
          ['Who', <code key="who">{line(told.actor)}</code>],
          ['Action', <code key="action">{line(told.action)}</code>],
          ['On what', <code key="subject">{line(told.subject)}</code>],
          ...detailOf(told).map(([name, value]) => [capital(line(name)), line(value)] as const),
        ]}
      />
      <section className={styles.chain}>
        <h3>In the chain</h3>
        <Facts
          facts={[
            ['Hash', <code key="hash">{line(told.hash)}</code>],
            ['After', <code key="prev">{line(told.prev) || 'nothing: the first'}</code>],
          ]}
        />
        <CopyButton label="The hash" text={told.hash} />
      </section>
    </div>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What is named stands out, and says by what it is known in the chain. */
export const Words = ({ sentence }: { readonly sentence: Sentence }) =>
  sentence.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <strong key={index} title={part.id || undefined}>
        {part.text}
      </strong>
    ),
  )

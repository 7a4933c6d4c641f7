import { useQuery } from '@connectrpc/connect-query'
import { AuditService } from '@holdfast/team/messages'
import { CopyButton } from '../../../parts/copy.js'
import { Facts } from '../../../parts/facts.js'
import { Side } from '../../../parts/page.js'
import { Region } from '../../../parts/states.js'
import { line } from '../../../words/plain.js'
import { whole } from '../../../words/time.js'
import styles from './action.module.css'
import type { Sentence } from './clauses.js'
import { detailOf } from './detail.js'
import type { Detail } from './log-page.js'
import { sentenceOf } from './sentences.js'
import { type Told, toldOf, whoIn } from './told.js'

interface ActionSideProps extends Detail {
  readonly id: string
  /** Among the loaded ones; others are requested. */
  readonly told: Told | undefined
}

export function ActionSide({ id, told, onClose, onStep }: ActionSideProps) {
  return (
    <Side label="Action" onClose={onClose} onStep={onStep} head={<h2>Action {line(id)}</h2>}>
      {told ? <ActionFacts told={told} /> : <Elsewhere id={id} />}
    </Side>
  )
}

/** A link may lead to a row that is far below, or that the filter leaves out. */
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
        return told ? <ActionFacts told={told} /> : <Missing />
      }}
    </Region>
  )
}

const Missing = () => <p className="muted">There is no action with this number.</p>

function ActionFacts({ told }: { readonly told: Told }) {
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
          ['Subject', <code key="subject">{line(told.subject)}</code>],
          ...detailOf(told).map(([name, value]) => [capital(line(name)), line(value)] as const),
        ]}
      />
      <section className={styles.chain}>
        <h3>Hash chain</h3>
        <Facts
          facts={[
            ['Hash', <code key="hash">{line(told.hash)}</code>],
            ['Previous hash', <code key="prev">{line(told.prev) || 'none: this is the first action'}</code>],
          ]}
        />
        <CopyButton label="the hash" text={told.hash} />
      </section>
    </div>
  )
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Names are bold, with their id in the chain as a tooltip. */
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

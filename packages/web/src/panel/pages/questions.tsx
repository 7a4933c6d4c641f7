// Questions from hooks for agents that cannot ask. The first answer counts; no answer is a deny.

import { useMutation } from '@connectrpc/connect-query'
import { Bell, BellOff } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { PanelService, type Question } from '../../gen/holdfast/panel/v1/panel_pb.js'
import { Button } from '../../parts/button.js'
import { Copy } from '../../parts/copy.js'
import { Facts } from '../../parts/facts.js'
import { Notice, Refused } from '../../parts/notice.js'
import { Page } from '../../parts/page.js'
import { Empty, Region } from '../../parts/states.js'
import { line, lines } from '../../words/plain.js'
import { clock } from '../../words/time.js'
import { notifySetting, switchNotifications } from '../notifications.js'
import { useQuestions } from '../questions-notice.js'
import styles from './questions/questions.module.css'

export function Questions() {
  const questions = useQuestions()
  return (
    <Page title="Questions" actions={<NotifySwitch />}>
      <Region of={questions}>
        {({ questions, daemon, noAnswer }) => (
          <List waiting={questions} daemon={daemon} noAnswer={noAnswer} />
        )}
      </Region>
    </Page>
  )
}

function NotifySwitch() {
  const [setting, setSetting] = useState(notifySetting)
  const isOn = setting === 'on'
  const because =
    setting === 'blocked'
      ? 'The browser blocks notifications of this page. Allow them in its settings.'
      : setting === 'unsupported'
        ? 'This browser has no notifications.'
        : undefined
  const Icon = isOn ? BellOff : Bell
  return (
    <Button because={because} onClick={() => void switchNotifications(!isOn).then(setSetting)}>
      <Icon size={14} aria-hidden="true" />
      {isOn ? 'Turn notifications off' : 'Notify me of questions'}
    </Button>
  )
}

interface ListProps {
  readonly waiting: readonly Question[]
  readonly daemon: string
  readonly noAnswer: string
}

/** Questions that ended stay until the page is left, so that no button moves under the pointer. */
function List({ waiting, daemon, noAnswer }: ListProps) {
  const known = useRef(new Map<string, Question>())
  for (const question of waiting) known.current.set(keyOf(question), question)
  const shown = [...known.current]
  const open = new Set(waiting.map(keyOf))
  if (shown.length === 0) return <NoQuestions daemon={daemon} />
  return (
    <div className={styles.list}>
      {noAnswer ? <Notice tone="ask">{noAnswer}</Notice> : null}
      {shown.map(([key, question]) => (
        <Card key={key} question={question} isOpen={open.has(key)} noAnswer={noAnswer} />
      ))}
    </div>
  )
}

/** Ids are short, and may be used again. */
const keyOf = ({ id, askedAt }: Question) => `${id} ${askedAt}`

const NoQuestions = ({ daemon }: { readonly daemon: string }) =>
  daemon === 'running' ? (
    <Empty title="No question waits">
      Codex, Gemini CLI, Claude Code without a terminal and MCP clients without forms cannot show a question
      of a hook. It appears here instead, for as long as the time limit of the hook.
    </Empty>
  ) : daemon === 'absent' ? (
    <Empty title="The daemon does not run" action={<Copy label="the command" text="holdfast daemon start" />}>
      Questions of agents that cannot ask wait in the daemon. Without it, such a question is a deny.
    </Empty>
  ) : (
    <Empty
      title="The daemon does not respond"
      action={<Copy label="the command" text="holdfast daemon status" />}
    >
      Until it does, agents that cannot ask deny these actions.
    </Empty>
  )

interface CardProps {
  readonly question: Question
  readonly isOpen: boolean
  readonly noAnswer: string
}

function Card({ question, isOpen, noAnswer }: CardProps) {
  const { id, agent, event, subject, message, hooks, folder, askedAt } = question
  const answer = useMutation(PanelService.method.answerQuestion)
  const [given, setGiven] = useState<boolean>()
  const send = (isAllowed: boolean) => {
    setGiven(isAllowed)
    answer.mutate({ id, isAllowed })
  }
  const outcome = answer.data?.counted
    ? given
      ? 'Allowed.'
      : 'Denied.'
    : isOpen && !answer.data
      ? undefined
      : 'No longer waits: answered elsewhere, withdrawn by the agent, or denied because nobody answered in time.'
  return (
    <article className={styles.card} aria-labelledby={`question-${id}`} data-over={outcome ? '' : undefined}>
      <header className={styles.head}>
        <h2 id={`question-${id}`}>{line(agent)} asks for approval</h2>
        {outcome ? null : <TimeLeft question={question} />}
      </header>
      {message ? <p>{lines(message)}</p> : null}
      <pre className={styles.subject} role="region" aria-label="What the agent wants to do" tabIndex={0}>
        <code>{lines(subject)}</code>
      </pre>
      <Facts
        facts={[
          hooks.length > 0 ? ['Asked by', <code key="hooks">{hooks.map(line).join(', ')}</code>] : null,
          folder ? ['Folder', <code key="folder">{line(folder)}</code>] : null,
          event ? ['Event', line(event)] : null,
          ['Asked at', clock(askedAt)],
        ]}
      />
      <div className={styles.actions} role="status">
        {outcome ?? (
          <>
            <Button because={noAnswer || undefined} busy={answer.isPending} onClick={() => send(true)}>
              Allow
            </Button>
            <Button because={noAnswer || undefined} busy={answer.isPending} onClick={() => send(false)}>
              Deny
            </Button>
          </>
        )}
      </div>
      <Refused error={answer.error} />
    </article>
  )
}

function TimeLeft({ question: { endsAt } }: { readonly question: Question }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <span className="muted">{Math.max(0, Math.round((endsAt - now) / 1000))} s left, then denied</span>
}

// A draft before it is published, or a revision as it was: what differs, what it says to samples, what it would have
// said to what happened.

import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService, type Revision } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import buttonStyles from '../../../parts/button.module.css'
import { Page } from '../../../parts/page.js'
import { Empty, Region } from '../../../parts/states.js'
import { TabList } from '../../../parts/tablist.js'
import { withTexts } from '../../../shell/search.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { revision as revisionRoute } from '../../routes.js'
import { Differences } from './differences.js'
import { DryRun } from './dry-run.js'
import { History } from './history.js'
import { Publish } from './publish.js'
import styles from './revision.module.css'
import { WhatIf } from './what-if.js'

export function RevisionPage() {
  const { id, number } = revisionRoute.useParams()
  const isDraft = number === 'draft' || number === '0'
  const hookId = Number(id)
  const wanted = Number(number)
  const isNumber = Number.isInteger(hookId) && (isDraft || Number.isInteger(wanted))
  const hook = useQuery(HooksService.method.getHook, { id: hookId }, { enabled: isNumber })
  const revision = useQuery(
    HooksService.method.getRevision,
    { hookId, number: wanted },
    { enabled: isNumber && !isDraft },
  )
  if (!isNumber) return <Empty title="There is no such revision">The address names no number.</Empty>
  if (isDraft) return <Region of={hook}>{({ hook }) => <Draft hook={hook!} />}</Region>
  return (
    <Region of={hook}>
      {({ hook }) => (
        <Region of={revision}>
          {({ revision }) => <Old key={number} hook={hook!} revision={revision!} />}
        </Region>
      )}
    </Region>
  )
}

function Draft({ hook }: { readonly hook: Hook }) {
  const search = revisionRoute.useSearch()
  const navigate = revisionRoute.useNavigate()
  const mayNotTry = useMay('HooksService/CheckDraft')
  const tab = search.tab === 'dry-run' || search.tab === 'what-if' ? search.tab : 'diff'
  if (!hook.draft) {
    return (
      <Page title={line(hook.name)} figures="No draft">
        <Empty
          title="There is no draft"
          action={
            <Link className={buttonStyles.button} to={`/hooks/${hook.id}`}>
              Open the editor
            </Link>
          }
        >
          {hook.revision > 0
            ? `Revision ${hook.revision} is the newest. Whoever changes the hook begins a draft.`
            : 'Nothing was written yet.'}
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={line(hook.name)}
      figures={
        <span title={whole(hook.changedAt)}>
          Draft, version {hook.draftVersion}, saved {ago(hook.changedAt)} by{' '}
          {line(hook.changedBy || 'somebody')} · {hook.fit ? 'checked as it is' : 'not checked as it is'}
        </span>
      }
      actions={
        <Link className={buttonStyles.button} to={`/hooks/${hook.id}`}>
          Back to the editor
        </Link>
      }
      tools={
        <TabList
          label="What to look at"
          chosen={tab}
          onChoose={tab =>
            void navigate({ search: withTexts(search, { tab, kind: undefined }), replace: true })
          }
          tabs={[
            ['diff', 'Differences'],
            ['dry-run', 'Dry run'],
            ['what-if', 'What if'],
          ]}
        />
      }
    >
      <Columns aside={<Publish hook={hook} runs={tab === 'diff'} />}>
        {tab === 'diff' ? (
          <Differences hook={hook} number={0} />
        ) : tab === 'dry-run' ? (
          <DryRun key={hook.id} hook={hook} mayNot={mayNotTry} />
        ) : (
          <WhatIf key={hook.id} hook={hook} />
        )}
      </Columns>
    </Page>
  )
}

function Old({ hook, revision }: { readonly hook: Hook; readonly revision: Revision }) {
  return (
    <Page
      title={
        <>
          {line(hook.name)} <span className="muted">revision {revision.number}</span>
        </>
      }
      figures={
        <span title={whole(revision.at)}>
          Published {ago(revision.at)} by {line(revision.author)} ·{' '}
          {revision.releases.length > 0 ? (
            <>
              in {revision.releases.length === 1 ? 'release' : 'releases'}{' '}
              {revision.releases.map((number, index) => (
                <span key={number}>
                  {index > 0 ? ', ' : ''}
                  <Link to={`/rollout/${number}`}>{number}</Link>
                </span>
              ))}
            </>
          ) : (
            'in no release'
          )}
        </span>
      }
      actions={
        <Link
          className={buttonStyles.button}
          to={hook.draft ? `/hooks/${hook.id}/rev/draft` : `/hooks/${hook.id}`}
        >
          {hook.draft ? 'To the draft' : 'Open the editor'}
        </Link>
      }
    >
      <Columns>
        {revision.note ? <blockquote className={styles.note}>{line(revision.note)}</blockquote> : null}
        <Differences hook={hook} number={revision.number} />
      </Columns>
    </Page>
  )
}

function Columns({ children, aside }: { readonly children: ReactNode; readonly aside?: ReactNode }) {
  const { id } = revisionRoute.useParams()
  return (
    <div className={styles.columns}>
      <div className={styles.main}>{children}</div>
      <aside className={styles.aside} aria-label="Publish, and what was published">
        {aside}
        <History hookId={Number(id)} />
      </aside>
    </div>
  )
}

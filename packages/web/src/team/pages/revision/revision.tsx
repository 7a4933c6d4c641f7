// A draft on its way to a release, step by step, or a published revision.

import { useQuery } from '@connectrpc/connect-query'
import { type Hook, HooksService, type Revision } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import buttonStyles from '../../../parts/button.module.css'
import { Page } from '../../../parts/page.js'
import { Empty, Region } from '../../../parts/states.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { toHook, toRelease, toRevision } from '../../links.js'
import { revision as revisionRoute } from '../../routes.js'
import { NextStep, PublishSteps, stepOf } from '../hook/steps.js'
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
  if (!isNumber) return <Empty title="There is no such revision">The address must contain a number.</Empty>
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
  const mayNotTry = useMay('HooksService/CheckDraft')
  const at = stepOf(revisionRoute.useSearch().tab, hook)
  if (!hook.draft) {
    return (
      <Page title={line(hook.name)} figures="No draft">
        <Empty
          title="There is no draft"
          action={
            <Link className={buttonStyles.button} {...toHook(hook.id)}>
              Open the editor
            </Link>
          }
        >
          {hook.revision > 0
            ? `Revision ${hook.revision} is the newest. Change the hook to start a draft.`
            : 'The hook is empty.'}
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
          {line(hook.changedBy || 'somebody')} · {hook.fit ? 'tested' : 'not tested'}
        </span>
      }
      actions={at === 'publish' || (at === 'test' && !hook.fit) ? null : <NextStep hook={hook} at={at} />}
      tools={<PublishSteps hook={hook} at={at} />}
    >
      <Columns>
        {at === 'test' ? (
          <DryRun key={hook.id} hook={hook} mayNot={mayNotTry} />
        ) : at === 'what-if' ? (
          <WhatIf key={hook.id} hook={hook} />
        ) : at === 'publish' ? (
          <Publish hook={hook} />
        ) : (
          <Differences hook={hook} number={0} />
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
      name={`${line(hook.name)}, revision ${revision.number}`}
      figures={
        <span title={whole(revision.at)}>
          Published {ago(revision.at)} by {line(revision.author)} ·{' '}
          {revision.releases.length > 0 ? (
            <>
              in {revision.releases.length === 1 ? 'release' : 'releases'}{' '}
              {revision.releases.map((number, index) => (
                <span key={number}>
                  {index > 0 ? ', ' : ''}
                  <Link {...toRelease(number)}>{number}</Link>
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
          {...(hook.draft ? toRevision(hook.id, 'draft') : toHook(hook.id))}
        >
          {hook.draft ? 'Review the draft' : 'Open the editor'}
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

function Columns({ children }: { readonly children: ReactNode }) {
  const { id } = revisionRoute.useParams()
  return (
    <div className={styles.columns}>
      <div className={styles.main}>{children}</div>
      <aside className={styles.aside} aria-label="Revisions">
        <History hookId={Number(id)} />
      </aside>
    </div>
  )
}

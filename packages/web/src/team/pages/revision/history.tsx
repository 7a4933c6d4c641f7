// The published revisions of a hook, newest first.

import { useInfiniteQuery } from '@connectrpc/connect-query'
import { HooksService, type Revision } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Region } from '../../../parts/states.js'
import { BY_TOKEN } from '../../../shell/by-token.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { toRevision } from '../../links.js'
import { revision as revisionRoute } from '../../routes.js'
import styles from './revision.module.css'

const RollBack = lazy(() => import('../rollout/roll-back.js').then(({ RollBack }) => ({ default: RollBack })))

export function History({ hookId }: { readonly hookId: number }) {
  const { number } = revisionRoute.useParams()
  const mayNot = useMay('RolloutService/RollBack')
  const [back, setBack] = useState<Revision>()
  const all = useInfiniteQuery(
    HooksService.method.listRevisions,
    { hookId, pageSize: 50, pageToken: '' },
    BY_TOKEN,
  )
  return (
    <section className={styles.history} aria-label="Revisions">
      <h2>Revisions</h2>
      <Region of={all}>
        {({ pages }) => {
          const revisions = pages.flatMap(page => page.revisions)
          const newest = revisions[0]?.number
          if (revisions.length === 0) return <p className="muted">Never published.</p>
          return (
            <ol>
              {revisions.map(revision => (
                <li key={revision.number} aria-current={number === String(revision.number) || undefined}>
                  <div className={styles.revision}>
                    <Link {...toRevision(hookId, revision.number)}>Revision {revision.number}</Link>
                    <span className="muted" title={whole(revision.at)}>
                      {ago(revision.at)} by {line(revision.author)}
                    </span>
                  </div>
                  <p>{line(revision.note) || <span className="faint">no note</span>}</p>
                  <div className="row">
                    {number !== String(revision.number) ? (
                      <Link {...toRevision(hookId, number)} search={{ compare: String(revision.number) }}>
                        Compare
                      </Link>
                    ) : null}
                    {revision.number !== newest && revision.releases.length > 0 ? (
                      <Button kind="quiet" because={mayNot} onClick={() => setBack(revision)}>
                        Roll back to this
                      </Button>
                    ) : null}
                  </div>
                </li>
              ))}
            </ol>
          )
        }}
      </Region>
      {all.hasNextPage ? (
        <Button busy={all.isFetchingNextPage} onClick={() => void all.fetchNextPage()}>
          Show older revisions
        </Button>
      ) : null}
      <Suspense>
        {back ? (
          <RollBack
            to={back.releases.at(-1)!}
            revision={{ hookId, number: back.number }}
            onClose={() => setBack(undefined)}
          />
        ) : null}
      </Suspense>
    </section>
  )
}

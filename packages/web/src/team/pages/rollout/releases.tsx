// Every release, newest first.

import type { Release } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../../../parts/button.js'
import { Empty, Region } from '../../../parts/states.js'
import { line } from '../../../words/plain.js'
import { ago, whole } from '../../../words/time.js'
import { useMay } from '../../context.js'
import { toRelease } from '../../links.js'
import { StateBadge } from './release.js'
import styles from './rollout.module.css'
import { canRollBackTo, deviceWords } from './words.js'

const RollBack = lazy(() => import('./roll-back.js').then(({ RollBack }) => ({ default: RollBack })))

export interface ReleasesProps {
  readonly all: readonly Release[]
  readonly asked: {
    readonly data: unknown
    readonly error: unknown
    readonly isPending: boolean
    readonly refetch: () => unknown
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

export function Releases({ all, asked }: ReleasesProps) {
  const mayNot = useMay('RolloutService/RollBack')
  const [back, setBack] = useState<number>()
  return (
    <Region of={asked as { data: unknown; error: unknown; isPending: boolean; refetch: () => unknown }}>
      {() =>
        all.length === 0 ? (
          <Empty title="No releases yet" action={<Link to="/hooks">Go to hooks</Link>}>
            A release is made when somebody publishes a draft.
          </Empty>
        ) : (
          <>
            <ol className={styles.releases} aria-label="Releases">
              {all.map(release => {
                const { state } = release
                return (
                  <li key={release.number}>
                    <div className="row">
                      <Link {...toRelease(release.number)}>Release {release.number}</Link>
                      <StateBadge state={state} />
                      <span>{deviceWords(release)}</span>
                      <span className="muted" title={whole(release.at)}>
                        {ago(release.at)} by {line(release.author)}
                      </span>
                      {canRollBackTo(release, all) ? (
                        <Button kind="quiet" because={mayNot} onClick={() => setBack(release.number)}>
                          Roll back to this
                        </Button>
                      ) : null}
                    </div>
                    <p>{line(release.note) || <span className="faint">no note</span>}</p>
                    {release.haltedBecause ? (
                      <p className={styles.because}>{line(release.haltedBecause)}</p>
                    ) : null}
                    <p className="muted">{changedIn(release)}</p>
                  </li>
                )
              })}
            </ol>
            {asked.hasNextPage ? (
              <Button busy={asked.isFetchingNextPage} onClick={() => void asked.fetchNextPage()}>
                Show older releases
              </Button>
            ) : null}
            <Suspense>
              {back !== undefined ? <RollBack to={back} onClose={() => setBack(undefined)} /> : null}
            </Suspense>
          </>
        )
      }
    </Region>
  )
}

/** added No pushes · changed Guard · removed Old one */
function changedIn({ hooks, rollsBackTo }: Release): string {
  const part = (change: string, word: string) => {
    const names = hooks.filter(hook => hook.change === change).map(({ name }) => line(name))
    return names.length > 0 ? `${word} ${names.slice(0, 5).join(', ')}${names.length > 5 ? ' …' : ''}` : ''
  }
  const said = [part('added', 'added'), part('changed', 'changed'), part('removed', 'removed')].filter(
    Boolean,
  )
  const back = rollsBackTo > 0 ? [`the hooks of release ${rollsBackTo}`] : []
  return [...back, ...said].join(' · ') || 'no hook changed'
}

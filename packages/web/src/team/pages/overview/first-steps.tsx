import { useQuery } from '@connectrpc/connect-query'
import { HooksService } from '@holdfast/team/messages'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copy } from '../../../parts/copy.js'
import { useServer } from '../../server.js'
import card from '../overview.module.css'
import styles from './first-steps.module.css'

/** The first steps in a new team; completed ones are ticked. */
export function FirstSteps({
  hasRelease,
  hasDevice,
}: {
  readonly hasRelease: boolean
  readonly hasDevice: boolean
}) {
  const hooks = useQuery(HooksService.method.listHooks, { pageSize: 1 })
  const { url } = useServer()
  return (
    <section className={card.card} aria-labelledby="first-steps">
      <h2 id="first-steps">Get started</h2>
      <ol className={styles.steps}>
        <Step title="Write a hook" done={(hooks.data?.total ?? 0) > 0}>
          A small program that sees what an agent is about to do, and may stop it.{' '}
          <Link to="/hooks">Go to hooks</Link>
        </Step>
        <Step title="Publish it" done={hasRelease}>
          It becomes a signed release and reaches devices ring by ring.{' '}
          <Link to="/rollout">Go to rollout</Link>
        </Step>
        <Step title="Enrol a device" done={hasDevice}>
          <span>Run this on a machine; it shows a code that you approve here.</span>
          <Copy label="the command" text={`holdfast login ${url}`} />
        </Step>
        <Step title="Watch the first runs" done={false}>
          The device downloads the hooks within a minute. Their runs appear here and in{' '}
          <Link to="/audit">Audit</Link>.
        </Step>
      </ol>
    </section>
  )
}

const Step = ({
  title,
  done,
  children,
}: {
  readonly title: string
  readonly done: boolean
  readonly children: ReactNode
}) => (
  <li className={styles.step} data-done={done || undefined}>
    <h3>
      {title}
      {done ? <span className={styles.done}> done</span> : null}
    </h3>
    <div className={styles.words}>{children}</div>
  </li>
)

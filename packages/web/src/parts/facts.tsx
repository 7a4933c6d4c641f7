// Names and values, in two columns.

import { Fragment, type ReactNode } from 'react'
import styles from './facts.module.css'

export type Fact = readonly [name: string, value: ReactNode]

export const Facts = ({ facts }: { readonly facts: readonly (Fact | null)[] }) => (
  <dl className={styles.facts}>
    {facts
      .filter(fact => fact !== null)
      .map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
  </dl>
)

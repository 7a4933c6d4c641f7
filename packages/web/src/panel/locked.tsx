// Shown instead of the panel when the sign-in fails.

import type { ReactNode } from 'react'
import { Empty } from '../parts/states.js'
import styles from './locked.module.css'

const Outside = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className={styles.page}>
    <header className={styles.top}>
      <img src="/icon.svg" alt="" width={20} height={20} />
      Holdfast
    </header>
    <main className={styles.card}>
      <Empty title={title}>{children}</Empty>
    </main>
  </div>
)

export const Locked = () => (
  <Outside title="This panel is locked">
    <p>
      Its link works once, and only for a minute. For a new one press Enter where <code>holdfast ui</code>{' '}
      runs, or start it again.
    </p>
  </Outside>
)

export const NoAnswer = ({ error }: { readonly error: Error }) => (
  <Outside title="The panel does not respond">
    <p>
      <code>holdfast ui</code> may have ended. Start it again and open its link. ({error.message})
    </p>
  </Outside>
)

// The menu of the signed-in user, in the top bar at every width.

import { PopupChip } from '../parts/filters-popup.js'
import { line } from '../words/plain.js'
import styles from './account.module.css'

export interface Account {
  readonly name: string
  readonly email: string
  readonly role: string
}

export const AccountMenu = ({ name, email, role }: Account) => (
  <PopupChip
    label="Account"
    className={styles.chip}
    words={
      <>
        <span className={styles.mark} aria-hidden="true">
          {initials(name || email)}
        </span>
        <span className="hidden">Account of {line(name || email)}</span>
      </>
    }
  >
    {() => (
      <div className={styles.menu}>
        <div>
          <strong>{line(name)}</strong>
          <p className="muted">{line(email)}</p>
          <p className="muted">Role: {role}</p>
        </div>
        <a href="/account" className={styles.item}>
          Account and password
        </a>
        <form method="post" action="/sign-out">
          <button type="submit" className={styles.item}>
            Sign out
          </button>
        </form>
      </div>
    )}
  </PopupChip>
)

const initials = (name: string): string =>
  line(name)
    .split(/[\s@.]+/)
    .filter(Boolean)
    .slice(0, 2)
    .map(word => [...word][0]!.toUpperCase())
    .join('')

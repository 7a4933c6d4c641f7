// The shell of both apps: breadcrumbs, search, the state of the connection, the account, and the list of pages.

import { Link, type LinkProps, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { CircleHelp, type LucideIcon, Moon, Search, Sun } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { line } from '../words/plain.js'
import { type Account, AccountMenu } from './account.js'
import { type Find, useCommands } from './commands.js'
import { Connection } from './connection.js'
import { Dialog } from './dialog.js'
import styles from './frame.module.css'
import { keyCaps, listenForKeys, useKeys } from './keys.js'
import type { Live } from './live.js'
import { isDark, switchTheme } from './theme.js'
import { useTitle } from './title.js'

type Over = ComponentType<{ readonly find: Find; readonly onClose: () => void }>

// Loaded on demand. Each opening tries again, as a missing server may be back by then.
const OVER = {
  palette: () => import('./palette.js').then(({ Palette }) => Palette),
  help: () => import('./help.js').then(({ Help }) => Help),
} satisfies Record<string, () => Promise<Over>>

/** The page beneath stays, with unsaved text. */
const NotLoaded: Over = ({ onClose }) => (
  <Dialog title="Loading failed" onClose={onClose}>
    <p className="muted">
      The server does not respond, or was replaced since this page was opened. Reload the page to use the new
      version.
    </p>
  </Dialog>
)

export interface Place {
  readonly to: NonNullable<LinkProps['to']>
  readonly label: string
  readonly icon: LucideIcon
  /** The second key after g. */
  readonly key: string
  readonly count?: string | undefined
}

export interface FrameProps {
  readonly name: string
  readonly places: readonly Place[]
  readonly live: Live
  readonly find: Find
  readonly account?: Account
  /** Above the page, such as the kill switch. */
  readonly notice?: ReactNode
}

export function Frame({ name: given, places, live, find, account, notice }: FrameProps) {
  const name = line(given)
  const router = useRouter()
  const path = useRouterState({ select: state => state.location.pathname })
  const [Over, setOver] = useState<Over | null>(null)
  const [dark, setDark] = useState(isDark)
  const open = async (name: keyof typeof OVER) => {
    const part = await OVER[name]().catch(() => NotLoaded)
    setOver(() => part)
  }
  const go = (to: Place['to']) => void router.navigate({ to })
  const turn = () => {
    switchTheme()
    setDark(isDark())
  }
  useEffect(listenForKeys, [])
  useKeys([
    { keys: 'mod+k', label: 'Search or jump to', group: 'Everywhere', run: () => void open('palette') },
    { keys: '?', label: 'Shortcuts', group: 'Everywhere', run: () => void open('help') },
    { keys: 't', label: 'Light or dark', group: 'Everywhere', run: turn },
    ...places.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label: `Go to ${label}`,
      group: 'Go to',
      run: () => go(to),
    })),
  ])
  useCommands([
    ...places.map(({ to, label, key }) => ({ label, kind: 'page', keys: `g ${key}`, href: to as string })),
    { label: dark ? 'Light theme' : 'Dark theme', kind: 'command', keys: 't', run: turn },
    { label: 'Shortcuts', kind: 'help', keys: '?', run: () => void open('help') },
  ])
  const here = places.find(({ to }) => path === to || path.startsWith(`${to}/`))
  const title = useTitle()
  const page = title === here?.label ? undefined : title
  useEffect(() => {
    document.title = [page, here?.label, name, 'Holdfast'].filter(Boolean).join(' · ')
  }, [here, name, page])
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.top}>
        <Link to="/" className={styles.brand}>
          <img src="/icon.svg" alt="" width={20} height={20} />
          Holdfast
        </Link>
        <nav className={styles.where} aria-label="Breadcrumbs">
          <Link to="/" className={styles.name}>
            {name}
          </Link>
          {here ? (
            <>
              <span aria-hidden="true"> / </span>
              <Link to={here.to} aria-current={page ? undefined : 'page'}>
                {here.label}
              </Link>
            </>
          ) : null}
          {page ? (
            <span aria-current="page">
              <span aria-hidden="true"> / </span>
              {line(page)}
            </span>
          ) : null}
        </nav>
        <button
          type="button"
          className={styles.search}
          aria-label="Search or jump to"
          onClick={() => void open('palette')}
        >
          <Search size={14} aria-hidden="true" />
          <span className={styles.searchWords}>Search or jump to</span>
          <kbd aria-hidden="true">{keyCaps('mod+k').join(' ')}</kbd>
        </button>
        <Connection live={live} />
        <button
          type="button"
          className={styles.tool}
          onClick={turn}
          aria-label={dark ? 'Light theme' : 'Dark theme'}
        >
          {dark ? <Sun size={16} aria-hidden="true" /> : <Moon size={16} aria-hidden="true" />}
        </button>
        <button
          type="button"
          className={styles.tool}
          onClick={() => void open('help')}
          aria-label="Shortcuts"
        >
          <CircleHelp size={16} aria-hidden="true" />
        </button>
        {account ? <AccountMenu {...account} /> : null}
      </header>
      <nav className={styles.nav} aria-label="Pages">
        <ul>
          {places.map(({ to, label, icon: Icon, count }) => (
            <li key={to}>
              <Link to={to} className={styles.place} activeProps={{ 'aria-current': 'page' }} title={label}>
                <Icon size={16} aria-hidden="true" />
                <span className={styles.label}>{label}</span>
                {count ? <span className={styles.count}>{count}</span> : null}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main className={styles.main} id="main" tabIndex={-1}>
        {notice}
        <Outlet />
      </main>
      {Over ? <Over find={find} onClose={() => setOver(null)} /> : null}
    </div>
  )
}

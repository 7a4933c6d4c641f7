// The shell of both homes: where one is, where one can go, and whether what one sees is current.

import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { CircleHelp, type LucideIcon, Moon, Search, Sun } from 'lucide-react'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { line } from '../words/plain.js'
import { useCommands } from './commands.js'
import { Connection } from './connection.js'
import { Dialog } from './dialog.js'
import styles from './frame.module.css'
import { keyCaps, listenForKeys, useKeys } from './keys.js'
import type { Live } from './live.js'
import { isDark, switchTheme } from './theme.js'

type Over = ComponentType<{ readonly onClose: () => void }>

// Nobody needs them for the first look. Asked for anew each time, as a server that is gone may be back by then.
const OVER = {
  palette: () => import('./palette.js').then(({ Palette }) => Palette),
  help: () => import('./help.js').then(({ Help }) => Help),
} satisfies Record<string, () => Promise<Over>>

/** The page beneath stays: something may have been typed into it. */
const NotLoaded: Over = ({ onClose }) => (
  <Dialog title="That could not be loaded" onClose={onClose}>
    <p className="muted">
      The server does not answer, or was replaced since this page was opened. Then loading the page anew
      helps.
    </p>
  </Dialog>
)

export interface Place {
  readonly to: string
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
  /** At the foot of the places: who is signed in. */
  readonly foot?: ReactNode
  /** Above everything, when something must be known: the kill switch. */
  readonly notice?: ReactNode
}

export function Frame({ name: given, places, live, foot, notice }: FrameProps) {
  const name = line(given)
  const router = useRouter()
  const path = useRouterState({ select: state => state.location.pathname })
  const [Over, setOver] = useState<Over | null>(null)
  const [dark, setDark] = useState(isDark)
  const open = async (name: keyof typeof OVER) => {
    const part = await OVER[name]().catch(() => NotLoaded)
    setOver(() => part)
  }
  const go = (to: string) => void router.navigate({ to })
  const turn = () => {
    switchTheme()
    setDark(isDark())
  }
  useEffect(listenForKeys, [])
  useKeys([
    { keys: 'mod+k', label: 'Search or jump to', group: 'Everywhere', run: () => void open('palette') },
    { keys: '?', label: 'These keys', group: 'Everywhere', run: () => void open('help') },
    { keys: 't', label: 'Light or dark', group: 'Everywhere', run: turn },
    ...places.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label: `Go to ${label}`,
      group: 'Go to',
      run: () => go(to),
    })),
  ])
  useCommands([
    ...places.map(({ to, label, key }) => ({ label, kind: 'page', keys: `g ${key}`, run: () => go(to) })),
    { label: dark ? 'Light theme' : 'Dark theme', kind: 'command', keys: 't', run: turn },
    { label: 'Keys', kind: 'help', keys: '?', run: () => void open('help') },
  ])
  const here = places.find(({ to }) => path === to || path.startsWith(`${to}/`))
  useEffect(() => {
    document.title = `${here ? `${here.label} · ` : ''}${name} · Holdfast`
  }, [here, name])
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        To the content
      </a>
      <header className={styles.top}>
        <Link to="/" className={styles.brand}>
          Holdfast
        </Link>
        <span className={styles.where}>
          <span className={styles.name}>{name}</span>
          {here ? (
            <span className={styles.here}>
              <span aria-hidden="true"> / </span>
              {here.label}
            </span>
          ) : null}
        </span>
        <button
          type="button"
          className={styles.search}
          aria-label="Search or jump to"
          onClick={() => void open('palette')}
        >
          <Search size={14} aria-hidden="true" />
          <span className={styles.searchWords}>Search or jump to</span>
          <kbd aria-hidden="true">{keyCaps('mod+k').join('')}</kbd>
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
        <button type="button" className={styles.tool} onClick={() => void open('help')} aria-label="Keys">
          <CircleHelp size={16} aria-hidden="true" />
        </button>
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
        {foot ? <div className={styles.foot}>{foot}</div> : null}
      </nav>
      <main className={styles.main} id="main" tabIndex={-1}>
        {notice}
        <Outlet />
      </main>
      {Over ? <Over onClose={() => setOver(null)} /> : null}
    </div>
  )
}

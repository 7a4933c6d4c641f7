// No hook anywhere: how the first one is made, and where was looked.

import { Link } from '@tanstack/react-router'
import type { Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Code } from '../../../parts/code.js'
import { line } from '../../../words/plain.js'
import styles from './hooks.module.css'
import { sourceWords } from './shown.js'

const FIRST = `holdfast init --yes
holdfast test
holdfast list`

export const First = ({ sources }: { readonly sources: readonly Source[] }) => (
  <div className={styles.first}>
    <h2>No hooks yet</h2>
    <p className="muted">Three lines in a terminal write a first hook, run its test, and list it.</p>
    <Code text={FIRST} label="the three lines" copy />
    <LookedIn sources={sources} title="Looked in, with nothing there" />
  </div>
)

export interface LookedInProps {
  readonly sources: readonly Source[]
  readonly title?: string
}

export const LookedIn = ({ sources, title = 'Also looked in, with nothing there' }: LookedInProps) => (
  <section className={styles.looked} aria-labelledby="looked-in">
    <h3 id="looked-in">{title}</h3>
    <ul>
      {sources.map(source => (
        <li key={source.id}>
          <span className="muted">{sourceWords(source.kind)}</span>
          <span className="mono" title={line(source.file)}>
            {line(source.shown)}
          </span>
          {source.canEdit ? (
            <Link to="/hooks/source/$source/edit" params={{ source: source.id }}>
              Write it
            </Link>
          ) : (
            <span className="faint">not written here</span>
          )}
        </li>
      ))}
    </ul>
  </section>
)

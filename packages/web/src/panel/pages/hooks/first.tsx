// Shown without any hooks: how to create the first one, and where hooks were looked for.

import { Link } from '@tanstack/react-router'
import type { Source } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { Copy } from '../../../parts/copy.js'
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
    <Copy text={FIRST} label="the three lines" />
    <LookedIn sources={sources} title="No hooks in" />
  </div>
)

export interface LookedInProps {
  readonly sources: readonly Source[]
  readonly title?: string
}

export const LookedIn = ({ sources, title = 'No hooks in' }: LookedInProps) => (
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
              Create
            </Link>
          ) : (
            <span className="faint">read-only</span>
          )}
        </li>
      ))}
    </ul>
  </section>
)

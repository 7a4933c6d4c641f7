// The hooks of one source, under its name.

import { Link } from '@tanstack/react-router'
import type { Hook } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import buttons from '../../../parts/button.module.css'
import { count } from '../../../words/number.js'
import { line } from '../../../words/plain.js'
import styles from './hooks.module.css'
import { ProblemList } from './problems.js'
import { HEADS, HookRow } from './row.js'
import { type Group, sourceWords } from './shown.js'

export interface GroupViewProps {
  readonly group: Group
  /** Its place in the order of the sources, from 1. */
  readonly rank: number
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
  readonly onTrust: (hook: Hook) => void
}

const STATES: Readonly<Record<string, string>> = {
  failed: 'This file cannot be read, so none of its hooks run.',
  stale: 'This file cannot be read now. Its last valid hooks still run.',
  absent: 'This file does not exist.',
}

export function GroupView({ group: { source, hooks }, rank, chosen, onChoose, onTrust }: GroupViewProps) {
  const name = sourceWords(source.kind)
  const title = `source-${source.id}`
  // The rows show untrusted hooks, with what to do about it.
  const problems = source.problems.filter(({ code }) => code !== 'trust/untrusted')
  return (
    <section className={styles.group} aria-labelledby={title}>
      <header className={styles.groupHead}>
        <h2 id={title}>{name}</h2>
        <span className={`${styles.path} mono`} title={line(source.file)}>
          {line(source.shown)}
        </span>
        <span className={styles.groupCount} title="Hooks of a source with a lower number come first">
          priority {rank} · {count(hooks.length, 'hook')}
        </span>
        {source.canEdit ? (
          <Link
            to="/hooks/source/$source/edit"
            params={{ source: source.id }}
            className={`${buttons.button} ${styles.editLink}`}
          >
            Edit {fileName(source.shown)}
          </Link>
        ) : null}
      </header>
      {STATES[source.state] ? <p className={styles.sourceState}>{STATES[source.state]}</p> : null}
      {problems.length > 0 ? (
        <ProblemList problems={problems} label={`Problems of ${source.shown}`} shown={source.shown} />
      ) : null}
      {hooks.length > 0 ? (
        <div role="table" aria-label={`Hooks of ${name}`} className={styles.table}>
          <div role="row" className={styles.head}>
            {HEADS.map(({ label, title }) => (
              <span key={label} role="columnheader" title={title}>
                {label}
              </span>
            ))}
          </div>
          {hooks.map(hook => (
            <HookRow
              key={hook.id}
              hook={hook}
              shown={source.shown}
              isChosen={hook.id === chosen}
              onChoose={onChoose}
              onTrust={onTrust}
            />
          ))}
        </div>
      ) : source.state === 'loaded' ? (
        <p className={styles.sourceState}>It defines no hooks.</p>
      ) : null}
    </section>
  )
}

const fileName = (path: string): string => path.split(/[/\\]/).at(-1)!

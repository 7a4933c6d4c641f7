// A short table. Where its columns do not fit, each row becomes a small sheet with the names of its columns.

import type { ReactNode } from 'react'
import styles from './table.module.css'

export interface ColumnOf<Row> {
  readonly name: string
  readonly draw: (row: Row) => ReactNode
  /** Figures are aligned right. */
  readonly isFigure?: boolean
  /** The label is for screen readers only: a column of buttons. */
  readonly quiet?: boolean
  readonly width?: string
}

export interface TableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly columns: readonly ColumnOf<Row>[]
}

export const Table = <Row,>({ label, rows, keyOf, columns }: TableProps<Row>) => (
  <table className={styles.table} aria-label={label}>
    <thead>
      <tr>
        {columns.map(({ name, isFigure, quiet, width }) => (
          <th
            key={name}
            scope="col"
            data-figure={isFigure || undefined}
            style={width ? { width } : undefined}
          >
            {quiet ? <span className="hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <tr key={keyOf(row)}>
          {columns.map(({ name, draw, isFigure, quiet }) => (
            <td key={name} data-name={quiet ? undefined : name} data-figure={isFigure || undefined}>
              <div>{draw(row)}</div>
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

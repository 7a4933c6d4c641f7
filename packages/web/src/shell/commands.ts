// What the palette offers: pages, actions of the open page, and objects that a search finds.

import { openTables } from './tables.js'

export interface Command {
  readonly label: string
  /** On the right: the kind of the target. */
  readonly kind: string
  readonly keys?: string
  /** The address of the target: the row is a link. */
  readonly href?: string
  readonly run?: () => void
}

/** Finds objects by a text, such as hooks and devices. */
export type Find = (text: string, signal: AbortSignal) => Promise<readonly Command[]>

export const { rows: commands, useRows: useCommands } = openTables<Command>()

// The order of decisions. Imports nothing at run time: programs of the SDK load it, too.

import type { Opinion } from './verdict.js'

/** deny > ask > allow > no decision. */
export const STRICTNESS: Readonly<Record<Opinion, number>> = { abstain: 0, allow: 1, ask: 2, deny: 3 }

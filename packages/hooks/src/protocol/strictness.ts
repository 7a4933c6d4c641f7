// The order of decisions. Imports nothing at run time: programs of the SDK load it, too.

import type { Decision } from './verdict.js'

/** deny > ask > allow > no decision. */
export const STRICTNESS: Readonly<Record<Decision, number>> = { abstain: 0, allow: 1, ask: 2, deny: 3 }

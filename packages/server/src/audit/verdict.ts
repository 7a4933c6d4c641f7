// The result of a run in one word. A run that failed and let the action proceed, and a denial in audit mode, have words
// of their own, so that they are not hidden among the others.

export const VERDICTS = ['allow', 'deny', 'ask', 'none', 'failed', 'failed_open', 'observed_deny'] as const
export type ShownVerdict = (typeof VERDICTS)[number]

export interface VerdictColumns {
  readonly verdict: string
  readonly failed_open: number
  readonly observed: number
}

export const shownOf = ({ verdict, failed_open, observed }: VerdictColumns): string => {
  if (failed_open === 1) return 'failed_open'
  return observed === 1 && verdict === 'deny' ? 'observed_deny' : verdict
}

/** The condition for each, in columns with known statistics. */
export const CONDITIONS: Readonly<Record<ShownVerdict, string>> = {
  allow: "verdict = 'allow'",
  deny: "verdict = 'deny' and observed = 0",
  ask: "verdict = 'ask'",
  none: "verdict = 'none'",
  failed: "verdict = 'failed' and failed_open = 0",
  failed_open: "verdict = 'failed' and failed_open = 1",
  observed_deny: "verdict = 'deny' and observed = 1",
}

/** The word itself, as an expression for a query. */
export const SHOWN_SQL =
  "case when failed_open = 1 then 'failed_open' when observed = 1 and verdict = 'deny' then 'observed_deny' else verdict end"

// The one word that a person sees for a run. A run that failed and let the action pass, and a denial that was only
// observed, are words of their own: they must never hide among the others.

export const VERDICTS = ['allow', 'deny', 'ask', 'none', 'failed', 'failed_open', 'observed_deny'] as const
export type Shown = (typeof VERDICTS)[number]

export interface Judged {
  readonly verdict: string
  readonly failed_open: number
  readonly observed: number
}

export const shownOf = ({ verdict, failed_open, observed }: Judged): string => {
  if (failed_open === 1) return 'failed_open'
  return observed === 1 && verdict === 'deny' ? 'observed_deny' : verdict
}

/** The condition for each, in the columns that the database knows how often they are what. */
export const CONDITIONS: Readonly<Record<Shown, string>> = {
  allow: "verdict = 'allow'",
  deny: "verdict = 'deny' and observed = 0",
  ask: "verdict = 'ask'",
  none: "verdict = 'none'",
  failed: "verdict = 'failed' and failed_open = 0",
  failed_open: "verdict = 'failed' and failed_open = 1",
  observed_deny: "verdict = 'deny' and observed = 1",
}

/** The word itself, for a query. */
export const SHOWN_SQL =
  "case when failed_open = 1 then 'failed_open' when observed = 1 and verdict = 'deny' then 'observed_deny' else verdict end"

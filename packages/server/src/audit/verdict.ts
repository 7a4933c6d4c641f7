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

/** The same, for a query. */
export const SHOWN_SQL =
  "case when failed_open = 1 then 'failed_open' when observed = 1 and verdict = 'deny' then 'observed_deny' else verdict end"

// A record of a run: its columns, the sums over its duration, and its result in one word.

/**
 * A record without content: the columns in the order of writing. A column is an entry here, a migration, a line of
 * read-record.ts and, if pages show it, a field of the message of the same name.
 */
export const BLANK_RECORD = {
  /**
   * Days since 1970 of the time inside the id: a record that is sent again finds its own partition. 0 if that time is
   * implausible.
   */
  day: 0,
  id: '',
  /** The time inside the id, or the time of arrival if that is implausible. */
  at: 0,
  received_at: 0,
  device_id: '',
  event: '',
  /** "#7" for the hook of the team with the id 7, otherwise the command. */
  hook: '',
  /** 0 if it is not a hook of the team. */
  hook_id: 0,
  source: '',
  /** allow, deny, ask, none or failed. */
  verdict: '',
  failed_open: 0,
  observed: 0,
  duration_ms: 0,
  release: 0,
  revision: 0,
  clock_skew: 0,
  conversation_id: '',
  summary: '',
  body: '',
}

export type RecordRow = typeof BLANK_RECORD

/** Counts of runs by their duration; the limits are in histogram.ts. */
export const BUCKETS = [
  'b0',
  'b1',
  'b2',
  'b3',
  'b4',
  'b5',
  'b6',
  'b7',
  'b8',
  'b9',
  'b10',
  'b11',
  'b12',
  'b13',
  'b14',
  'b15',
] as const
export type Bucket = (typeof BUCKETS)[number]

/** Sums by hour, hook, event, release and verdict. */
export interface RollupRow extends Record<Bucket, number> {
  /** Hours since 1970. */
  hour: number
  hook: string
  event: string
  release: number
  /** A ShownVerdict. */
  verdict: string
  count: number
  ms_sum: number
}

export const COLUMNS = Object.keys(BLANK_RECORD) as readonly (keyof RecordRow)[]

type ListedColumn = Exclude<keyof RecordRow, 'day' | 'body'>

/** The columns that a list shows. */
export const LISTED = COLUMNS.filter((name): name is ListedColumn => name !== 'day' && name !== 'body')
export type Listed = Pick<RecordRow, ListedColumn>

/**
 * The result of a run in one word. A run that failed and let the action proceed, and a denial in audit mode, have words of
 * their own, so that they are not hidden among the others.
 */
export const VERDICTS = ['allow', 'deny', 'ask', 'none', 'failed', 'failed_open', 'observed_deny'] as const
export type ShownVerdict = (typeof VERDICTS)[number]

export const shownOf = ({
  verdict,
  failed_open,
  observed,
}: Pick<RecordRow, 'verdict' | 'failed_open' | 'observed'>): string => {
  if (failed_open === 1) return 'failed_open'
  return observed === 1 && verdict === 'deny' ? 'observed_deny' : verdict
}

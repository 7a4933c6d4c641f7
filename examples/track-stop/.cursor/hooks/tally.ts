// The failures of one conversation that are not fixed yet.

export interface Failure {
  /** The command, or the name of the tool. */
  readonly what: string
  readonly how: string
  /** The event that reported it; both, if no further report will come. */
  readonly from: 'tool' | 'shell' | 'both'
}

export interface Tally {
  /** All failures that were ever counted. */
  readonly failures: number
  /** Failures without a fix; the oldest are removed first. */
  readonly open: readonly Failure[]
  readonly retries: number
}

export const NOTHING: Tally = { failures: 0, open: [], retries: 0 }

const MOST = 20
const LONGEST = 200

export function failed(tally: Tally, { what, how, from }: Failure): Tally {
  const failure = { what: short(what), how, from }
  // Some hosts report a failed command twice, as a tool and as a shell command. It counts once.
  const other = from === 'both' ? undefined : tally.open.find(known => isOtherHalf(known, failure))
  if (other) {
    const whole: Failure = { ...other, from: 'both' }
    return { ...tally, open: tally.open.map(known => (known === other ? whole : known)) }
  }
  return { ...tally, failures: tally.failures + 1, open: [...tally.open, failure].slice(-MOST) }
}

/** A later success of the same command or tool removes the failure. */
export const worked = (tally: Tally, what: string): Tally => ({
  ...tally,
  open: tally.open.filter(failure => failure.what !== short(what)),
})

/** The file may contain anything: a user edited it, or an older version of this hook wrote it. */
export function tallyFrom(value: unknown): Tally {
  const { failures, open, retries } = (value ?? {}) as Partial<Tally>
  return {
    failures: Number(failures) || 0,
    open: Array.isArray(open) ? open.filter(failure => typeof failure?.what === 'string') : [],
    retries: Number(retries) || 0,
  }
}

const isOtherHalf = (known: Failure, { what, from }: Failure) =>
  known.what === what && known.from !== 'both' && known.from !== from

const short = (text: string) => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line
}

// What failed in one conversation, and is not mended yet.

export interface Failure {
  /** The command, or the name of the tool. */
  readonly what: string
  readonly how: string
  /** Which event told of it; both, when nothing more is to come. */
  readonly from: 'tool' | 'shell' | 'both'
}

export interface Tally {
  /** All that were ever counted. */
  readonly failures: number
  /** Those that nothing was done about; the oldest are forgotten. */
  readonly open: readonly Failure[]
  readonly retries: number
}

export const NOTHING: Tally = { failures: 0, open: [], retries: 0 }

const MOST = 20
const LONGEST = 200

export function failed(tally: Tally, { what, how, from }: Failure): Tally {
  const failure = { what: short(what), how, from }
  // Some hosts tell of a failed command twice, as a tool and as a shell. It is one failure.
  const other = from === 'both' ? undefined : tally.open.find(known => isOtherHalf(known, failure))
  if (other) {
    const whole: Failure = { ...other, from: 'both' }
    return { ...tally, open: tally.open.map(known => (known === other ? whole : known)) }
  }
  return { ...tally, failures: tally.failures + 1, open: [...tally.open, failure].slice(-MOST) }
}

/** What works now is not broken any more. */
export const worked = (tally: Tally, what: string): Tally => ({
  ...tally,
  open: tally.open.filter(failure => failure.what !== short(what)),
})

/** The file may hold anything: somebody edited it, or an older form of this hook wrote it. */
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

// What the text of a hook seems to do, as far as it matters to versions. Guesses: nothing is run, nothing is certain.

export interface Place {
  readonly file: string
  readonly line: number
}

/**
 * always: it prints nothing. unless-objecting: it prints only to object. seldom: it seems to answer each time, or
 * nobody can tell.
 */
export type Silence = 'always' | 'unless-objecting' | 'seldom'

export interface Traits {
  /** by-hand: its own words. sdk: a library speaks, in every version's words. unknown: there was nothing to read. */
  readonly speaks: 'by-hand' | 'sdk' | 'unknown'
  /** Names of payload fields that it reads, with the first place. */
  readonly reads: ReadonlyMap<string, Place>
  /** Keys of its answers as they are spelled. */
  readonly writes: ReadonlyMap<string, Place>
  readonly denies?: Place
  readonly asks?: Place
  readonly allows?: Place
  readonly exitsWith2?: Place
  /** Ends with another code than 0 right after a deny. */
  readonly exitsAfterDeny?: Place
  /** Prints something else than JSON on stdout. */
  readonly printsText?: Place
  readonly silence: Silence
}

export const UNKNOWN: Traits = Object.freeze({
  speaks: 'unknown',
  reads: new Map(),
  writes: new Map(),
  silence: 'seldom',
})

const LOUDER: readonly Silence[] = ['always', 'unless-objecting', 'seldom']

/** Several files of one hook: what any of them does, the hook does. */
export function together(parts: readonly Traits[]): Traits {
  const known = parts.filter(({ speaks }) => speaks !== 'unknown')
  if (known.length < 2) return known[0] ?? UNKNOWN
  const first = <K extends keyof Traits>(name: K) => known.find(part => part[name] !== undefined)?.[name]
  const all = (name: 'reads' | 'writes') => new Map(known.toReversed().flatMap(part => [...part[name]]))
  const places = PLACES.flatMap(name => {
    const place = first(name)
    return place ? [[name, place] as const] : []
  })
  return {
    speaks: known.some(({ speaks }) => speaks === 'sdk') ? 'sdk' : 'by-hand',
    reads: all('reads'),
    writes: all('writes'),
    silence: LOUDER[Math.max(...known.map(({ silence }) => LOUDER.indexOf(silence)))]!,
    ...Object.fromEntries(places),
  }
}

const PLACES = ['denies', 'asks', 'allows', 'exitsWith2', 'exitsAfterDeny', 'printsText'] as const

// The dependencies of a device on its environment, which tests replace.

import { randomUUID } from 'node:crypto'
import { homedir, hostname, release } from 'node:os'
import { systemOf } from '@holdfast/hooks/team'

export interface Facts {
  readonly name: string
  readonly operatingSystem: string
  readonly osVersion: string
  readonly clientVersion: string
}

export interface Around {
  readonly home: string
  readonly platform: NodeJS.Platform
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Resolves early, without an error, if the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  readonly random: () => number
  /** A unique name. */
  readonly unique: () => string
  readonly facts: Facts
  /** The time limit of the server for one response. */
  readonly patienceMs: number
  readonly onStep?: ((step: string) => void) | undefined
}

export type AroundOptions = Partial<Omit<Around, 'facts'>> & {
  readonly clientVersion: string
  readonly deviceName?: string
}

export function aroundOf({ clientVersion, deviceName, ...given }: AroundOptions): Around {
  const platform = given.platform ?? process.platform
  return {
    home: homedir(),
    platform,
    now: Date.now,
    sleep,
    random: Math.random,
    unique: randomUUID,
    patienceMs: 30_000,
    facts: {
      name: deviceName ?? hostname(),
      operatingSystem: systemOf(platform),
      osVersion: release(),
      clientVersion,
    },
    ...given,
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise(done => {
    if (signal?.aborted) return done()
    const finish = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', finish)
      done()
    }
    // A timer of more than 2^31 ms would fire at once.
    const timer = setTimeout(finish, Math.min(ms, 2 ** 31 - 1))
    signal?.addEventListener('abort', finish)
  })
}

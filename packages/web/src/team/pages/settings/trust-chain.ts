// Reads the versions of the root metadata from their signed envelopes. Devices verify the signatures; a page does not.

import type { Seal } from '@holdfast/team/messages'

export interface TrustVersion {
  readonly version: number
  readonly epoch: number
  readonly issuedAt: string
  readonly releaseKeys: number
  readonly signers: readonly string[]
  /** What differs from the version before, in words. */
  readonly change: string
}

interface Payload {
  readonly version?: number
  readonly epoch?: number
  readonly issued_at?: string
  readonly roots?: readonly string[]
  readonly release_keys?: readonly string[]
  readonly lease_keys?: readonly string[]
}

const LISTS = [
  ['roots', 'root key'],
  ['release_keys', 'release key'],
  ['lease_keys', 'lease key'],
] as const

/** Newest first. */
export function versionsIn(chain: readonly Pick<Seal, 'payload' | 'signatures'>[]): TrustVersion[] {
  let before: Payload | null = null
  const versions = chain.map(({ payload, signatures }) => {
    const said = readPayload(payload)
    const version = {
      version: said.version ?? 0,
      epoch: said.epoch ?? 0,
      issuedAt: said.issued_at ?? '',
      releaseKeys: said.release_keys?.length ?? 0,
      signers: signatures.map(({ keyId }) => keyId),
      change: before ? changeOf(before, said) : 'the first keys of the team',
    }
    before = said
    return version
  })
  return versions.reverse()
}

function changeOf(before: Payload, after: Payload): string {
  const changed = LISTS.filter(([name]) => String(before[name] ?? '') !== String(after[name] ?? '')).map(
    ([, word]) => `another ${word}`,
  )
  if ((after.epoch ?? 0) > (before.epoch ?? 0)) changed.push('a new epoch')
  return changed.join(', ') || 'no effective change'
}

function readPayload(payload: Uint8Array): Payload {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(payload))
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

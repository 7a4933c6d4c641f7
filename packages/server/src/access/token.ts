// An access token: <prefix>_<id>_<secret>. The id finds the row, the secret authenticates the bearer, and only its
// SHA-256 is stored: 256 random bits need no slow hash.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Secret } from './secret.js'

/** Of devices, of users' scripts, for enrolment, and in the links of invitations. */
export type Prefix = 'hfd' | 'hfp' | 'hfe' | 'hfi'

export interface Minted {
  readonly id: string
  readonly hash: string
  /** The complete token, shown once. */
  readonly text: Secret
}

export interface Presented {
  readonly prefix: string
  readonly id: string
  readonly secret: Secret
  /** Of the team, in an enrolment key. */
  readonly fingerprint: string
}

const FORM = /^(hf[depi])_([0-9a-f]{16})_([0-9a-f]{64})(?:_([0-9a-f]{64}))?$/
const LONGEST = 200

export function mint(prefix: Prefix): Minted {
  const id = randomBytes(8).toString('hex')
  const secret = randomBytes(32).toString('hex')
  return { id, hash: sha256(secret).toString('hex'), text: new Secret(`${prefix}_${id}_${secret}`) }
}

export function read(text: string): Presented | null {
  const found = text.length <= LONGEST ? FORM.exec(text) : null
  if (!found) return null
  return {
    prefix: found[1]!,
    id: found[2]!,
    secret: new Secret(found[3]!),
    fingerprint: found[4] ?? '',
  }
}

/** Takes constant time for every wrong secret. */
export const fits = (secret: Secret, hash: string | Buffer): boolean => {
  const wanted = typeof hash === 'string' ? Buffer.from(hash, 'hex') : hash
  const given = sha256(secret.reveal())
  return wanted.length === given.length && timingSafeEqual(wanted, given)
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

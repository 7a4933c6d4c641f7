// Encrypts values that a reader of the database must not see, with a secret that is not in it.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { makeFolder } from './folder.js'
import { UsageError } from './usage-error.js'

export interface Secrets {
  /** Another key for each purpose; the same in every process of the team. */
  derive(purpose: string): Uint8Array
  encrypt(plain: Uint8Array): Uint8Array
  /** Throws if it was encrypted with another secret, or altered. */
  decrypt(hidden: Uint8Array): Uint8Array
}

const FEWEST = 32
const NONCE = 12
const TAG = 16

export function openSecrets(secret: Uint8Array): Secrets {
  if (secret.length < FEWEST) {
    throw new UsageError(`The server's secret has ${secret.length} bytes; it needs at least ${FEWEST}.`)
  }
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, 'holdfast-server', purpose, 32))
  const key = derive('keys at rest')
  return {
    derive,
    encrypt(plain) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const text = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    decrypt(hidden) {
      const bytes = Buffer.from(hidden)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
    },
  }
}

/** The file of the secret, created at the first start. */
export function secretFrom(file: string): Uint8Array {
  try {
    makeFolder(dirname(resolve(file)))
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
    chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new UsageError(`The secret ${file} cannot be created: ${(error as Error).message}.`)
    }
  }
  try {
    return secretOf(readFileSync(file, 'utf8'), `The secret in ${file}`)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The secret ${file} cannot be read: ${(error as Error).message}.`)
  }
}

/** Names the file, so that it can be fixed. */
export function secretOf(text: string, name: string): Uint8Array {
  const digits = text.trim()
  if (!/^([0-9a-f]{2}){32,}$/i.test(digits)) {
    throw new UsageError(`${name} must be at least 64 hex digits, as "openssl rand -hex 32" makes them.`)
  }
  return Buffer.from(digits, 'hex')
}

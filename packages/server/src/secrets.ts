// What must be secret even from somebody who reads the database is kept under a secret that is not in it.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Complaint } from './complaint.js'
import { makeFolder } from './folder.js'

export interface Secrets {
  /** Another secret for another purpose; the same one in every process of the team. */
  derive(purpose: string): Uint8Array
  hide(plain: Uint8Array): Uint8Array
  /** Throws when it was hidden under another secret, or altered. */
  show(hidden: Uint8Array): Uint8Array
}

const FEWEST = 32
const NONCE = 12
const TAG = 16

export function openSecrets(secret: Uint8Array): Secrets {
  if (secret.length < FEWEST) {
    throw new Complaint(`The server's secret has ${secret.length} bytes; it needs at least ${FEWEST}.`)
  }
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', secret, 'holdfast-server', purpose, 32))
  const key = derive('keys at rest')
  return {
    derive,
    hide(plain) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const text = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    show(hidden) {
      const bytes = Buffer.from(hidden)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE))
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()])
    },
  }
}

/** The file that holds it, made at the first start. */
export function secretFrom(file: string): Uint8Array {
  try {
    makeFolder(dirname(resolve(file)))
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600 })
    chmodSync(file, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new Complaint(`The secret ${file} cannot be made: ${(error as Error).message}.`)
    }
  }
  try {
    return secretOf(readFileSync(file, 'utf8'), `The secret in ${file}`)
  } catch (error) {
    if (error instanceof Complaint) throw error
    throw new Complaint(`The secret ${file} cannot be read: ${(error as Error).message}.`)
  }
}

/** Named, for whoever has to mend it. */
export function secretOf(text: string, name: string): Uint8Array {
  const digits = text.trim()
  if (!/^([0-9a-f]{2}){32,}$/i.test(digits)) {
    throw new Complaint(`${name} must be at least 64 hex digits, as "openssl rand -hex 32" makes them.`)
  }
  return Buffer.from(digits, 'hex')
}

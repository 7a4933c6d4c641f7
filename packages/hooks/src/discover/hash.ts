// SHA-256, loaded when somebody first asks: the module behind it takes milliseconds to start, and most runs of the
// command need no hash at all.

import { createRequire } from 'node:module'

let crypto: typeof import('node:crypto') | undefined

export function sha256(data: string | Buffer): string {
  crypto ??= createRequire(process.execPath)('node:crypto') as typeof import('node:crypto')
  return crypto.createHash('sha256').update(data).digest('hex')
}

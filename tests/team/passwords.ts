// Passwords are hashed slowly on purpose, and hundreds of members join in these tests. In this process the same
// function does less work; the requested cost is recorded, so that a test can compare it.

import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

export const asked: ScryptOptions[] = []

const { scrypt } = crypto
crypto.scrypt = ((password: string, salt: string, length: number, cost: ScryptOptions, done: () => void) => {
  asked.push(cost)
  scrypt(password, salt, length, { ...cost, N: 2 }, done)
}) as typeof scrypt
syncBuiltinESMExports()

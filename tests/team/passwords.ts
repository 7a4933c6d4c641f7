// Passwords are hashed slowly on purpose, and hundreds of people join in these tests. In this process alone the same
// function is asked for less work; what the server asked for is kept, to be held against what it should.

import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

export const asked: ScryptOptions[] = []

const { scrypt } = crypto
crypto.scrypt = ((password: string, salt: string, length: number, cost: ScryptOptions, done: () => void) => {
  asked.push(cost)
  scrypt(password, salt, length, { ...cost, N: 2 }, done)
}) as typeof scrypt
syncBuiltinESMExports()

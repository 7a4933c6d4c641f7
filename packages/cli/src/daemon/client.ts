// The native client that entries call in place of Node.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** All bundles are CommonJS. */
declare const require: { resolve(name: string): string }
declare const __dirname: string

const NAME = 'holdfast-client'
const PLATFORM = `${process.platform}-${process.arch}`

/** Of the optional package for this platform; undefined if it is not installed. */
export function installedClient(): string | undefined {
  try {
    return require.resolve(`@holdfast/client-${PLATFORM}/${NAME}`)
  } catch {
    return undefined
  }
}

/** The same, or the one that a build of the repository made. */
export function anyClient(): string | undefined {
  const built = join(__dirname, '..', 'client', 'dist', PLATFORM, NAME)
  return installedClient() ?? (existsSync(built) ? built : undefined)
}

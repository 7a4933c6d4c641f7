// The native client that entries call in place of Node.

import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** All bundles are CommonJS. */
declare const require: { resolve(name: string): string }
declare const __dirname: string

export const CLIENT_NAME = 'holdfast-client'
const PLATFORM = `${process.platform}-${process.arch}`

/** Of the optional package for this platform, or of a build of the repository; undefined if there is none. */
export function findClient(): string | undefined {
  try {
    return require.resolve(`@holdfast/client-${PLATFORM}/${CLIENT_NAME}`)
  } catch {
    const built = join(__dirname, '..', 'client', 'dist', PLATFORM, CLIENT_NAME)
    return existsSync(built) ? built : undefined
  }
}

/** The path that entries of the user call: that of a package changes with its version. */
export const clientCopy = (home: string): string => join(home, '.holdfast', 'bin', CLIENT_NAME)

/** Why this client does not run here, such as a home folder that is mounted without programs. */
export function clientProblem(client: string): string | undefined {
  const { error, status } = spawnSync(client, ['--version'], { stdio: 'ignore' })
  return error?.message ?? (status === 0 ? undefined : `${client} ended with code ${status}.`)
}

/** Replaces an older copy. A client that runs keeps its own file. */
export function copyClient(client: string, copy: string): void {
  if (existsSync(copy) && readFileSync(copy).equals(readFileSync(client))) return
  mkdirSync(dirname(copy), { recursive: true, mode: 0o700 })
  const part = `${copy}.${process.pid}`
  try {
    copyFileSync(client, part)
    chmodSync(part, 0o755)
    const problem = clientProblem(part)
    if (problem !== undefined) throw new Error(problem)
    renameSync(part, copy)
  } finally {
    rmSync(part, { force: true })
  }
}

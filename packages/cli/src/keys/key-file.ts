// Private keys in files, as words that can also be printed or written on paper.

import { readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { openTeamDoor } from '../team/door.js'
import { fromWords, words } from '../team/words.js'
import { UsageError } from '../usage-error.js'

export interface StoredKey {
  readonly id: string
  /** In hex. */
  readonly publicKey: string
  readonly privateKey: Uint8Array
}

export async function createKey(file: string): Promise<StoredKey> {
  const { generateKeys } = await openTeamDoor()
  const { privateKey } = generateKeys()
  writeNew(file, `${words(privateKey)}\n`, 'The key')
  return readKey(file)
}

export async function readKey(file: string): Promise<StoredKey> {
  const { keyIdOf, publicKeyOf } = await openTeamDoor()
  const text = readText(file, 'The key')
  try {
    const privateKey = fromWords(text)
    const publicKey = publicKeyOf(privateKey)
    return { id: keyIdOf(publicKey), publicKey: Buffer.from(publicKey).toString('hex'), privateKey }
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${file} contains no key: ${error.message}`)
    throw error
  }
}

export function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      `${what} ${file} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}.`,
    )
  }
}

/** Never over an existing file: it may be the only copy of a key or of signatures. */
export function writeNew(file: string, text: string, what: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why =
      code === 'EEXIST'
        ? 'it exists and is not overwritten. Give another name'
        : code === 'ENOENT'
          ? `the folder ${dirname(file)} does not exist`
          : message
    throw new UsageError(`${what} cannot be written to ${file}: ${why}.`)
  }
}

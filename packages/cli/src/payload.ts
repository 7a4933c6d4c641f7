// --payload: the fields of an event from a file or from stdin.

import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseJson } from '@holdfast/hooks/protocol'
import { UsageError } from './usage-error.js'

const LARGEST_MIB = 32
const LARGEST = LARGEST_MIB * 1024 * 1024

export async function readPayload(name: string, cwd: string): Promise<Record<string, unknown>> {
  const where = name === '-' ? 'stdin' : `"${name}"`
  const bytes = name === '-' ? await readStdin() : readFile(resolve(cwd, name), where)
  if (!bytes || bytes.length > LARGEST) {
    throw new UsageError(`The payload from ${where} is larger than ${LARGEST_MIB} MiB.`)
  }
  const text = bytes.toString('utf8').replace(/^\ufeff/, '')
  if (text.trim() === '') throw new UsageError(`The payload from ${where} is empty; expected a JSON object.`)
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, ' ').replace(/, "?\.\.\..*$/, '')
    throw new UsageError(`The payload from ${where} is not valid JSON: ${reason}.`)
  }
  if (value !== null && typeof value === 'object' && !Array.isArray(value))
    return value as Record<string, unknown>
  const found = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
  throw new UsageError(`The payload from ${where} is ${found}; expected a JSON object.`)
}

function readFile(path: string, where: string): Buffer | undefined {
  try {
    const stats = statSync(path)
    if (stats.isDirectory()) throw new UsageError(`The payload ${where} is a folder; expected a file.`)
    return stats.size > LARGEST ? undefined : readFileSync(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code ?? message})`
    throw new UsageError(`The payload ${where} ${reason}.`)
  }
}

/** Undefined if it is larger than the limit. */
async function readStdin(): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer)
    length += (chunk as Buffer).length
    if (length > LARGEST) return undefined
  }
  return Buffer.concat(chunks)
}

// What a kubectl call would send: the files, folders and texts that it names, read now, document by document.

import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import { parseAllDocuments } from 'yaml'

export interface Document {
  /** web.yaml, document 2 */
  readonly where: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Content that cannot be judged: the hook asks, or denies if it looks like a trick. */
export interface Problem {
  readonly verdict: 'ask' | 'deny'
  readonly what: string
}

export interface Manifests {
  readonly documents: Document[]
  readonly problems: Problem[]
}

const LARGEST = 5_000_000
const MOST_FILES = 300
/** Regular manifests repeat a few blocks; YAML bombs repeat millions. */
const MOST_ALIASES = 200

export const none = (): Manifests => ({ documents: [], problems: [] })

/** The value of -f: a file, a folder, or a URL. Each possible folder of the call is searched. */
export function readFilename(
  name: string,
  folders: readonly string[],
  isRecursive: boolean,
  into: Manifests,
): void {
  if (/^https?:/i.test(name)) {
    into.problems.push({
      verdict: 'ask',
      what: `${name} is read from the network, so nobody has looked at it`,
    })
    return
  }
  const paths = new Set(folders.map(folder => resolve(folder, name)))
  const there = [...paths].filter(path => statSync(path, { throwIfNoEntry: false }))
  if (there.length === 0)
    into.problems.push({ verdict: 'ask', what: `${name} is not there, so nobody can look at it` })
  for (const path of there) {
    if (!statSync(path).isDirectory()) readFile(path, name, into)
    else
      for (const file of filesIn(path, isRecursive, into))
        readFile(file, join(name, relative(path, file)), into)
  }
}

function filesIn(folder: string, isRecursive: boolean, into: Manifests): string[] {
  const files: string[] = []
  const visit = (path: string) => {
    for (const name of readdirSync(path).sort()) {
      const inner = join(path, name)
      if (files.length > MOST_FILES) return
      if (lstatSync(inner).isDirectory()) isRecursive && visit(inner)
      else if (['.yaml', '.yml', '.json'].includes(extname(name))) files.push(inner)
    }
  }
  visit(folder)
  if (files.length > MOST_FILES)
    into.problems.push({
      verdict: 'deny',
      what: `${folder} holds more than ${MOST_FILES} manifests; name fewer`,
    })
  return files.slice(0, MOST_FILES)
}

function readFile(path: string, name: string, into: Manifests): void {
  try {
    // Pipes and devices never end.
    const { size } = statSync(path)
    if (!statSync(path).isFile()) into.problems.push({ verdict: 'ask', what: `${name} is not a file` })
    else if (size > LARGEST) into.problems.push({ verdict: 'deny', what: `${name} is too large to look at` })
    else readText(readFileSync(path, 'utf8'), name, into)
  } catch (error) {
    into.problems.push({ verdict: 'deny', what: `${name} cannot be read: ${(error as Error).message}` })
  }
}

/** A list is a JSON patch: valid, but it cannot be judged by itself. */
export function readText(
  text: string,
  name: string,
  into: Manifests,
  ofList: Problem['verdict'] = 'deny',
): void {
  const unreadable = (why: string) =>
    into.problems.push({ verdict: 'deny', what: `${name} cannot be read: ${why}` })
  try {
    const documents = parseAllDocuments(text, { merge: true, uniqueKeys: true, logLevel: 'silent' })
    for (const [at, document] of [...documents].entries()) {
      const where = documents.length > 1 ? `${name}, document ${at + 1}` : name
      const [error] = document.errors
      if (error) {
        unreadable(error.message.split('\n')[0]!.replace(/:$/, ''))
        return
      }
      const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES })
      if (value === null || value === undefined) continue
      if (Array.isArray(value))
        into.problems.push({ verdict: ofList, what: `${where} is a list, which cannot be judged by itself` })
      else if (typeof value !== 'object') unreadable('it does not hold an object')
      else add(value as Record<string, unknown>, where, into)
    }
  } catch (error) {
    unreadable((error as Error).message)
  }
}

/** Lists contain further objects, and nested lists. */
function add(value: Readonly<Record<string, unknown>>, where: string, into: Manifests): void {
  into.documents.push({ where, value })
  if (!Array.isArray(value.items)) return
  for (const [at, item] of value.items.entries()) {
    if (typeof item === 'object' && item !== null && !Array.isArray(item))
      add(item as Record<string, unknown>, `${where}, item ${at + 1}`, into)
  }
}

// allow-once: a denial leaves a request with a code, a person approves it in a terminal, and the next equal call passes.
//
// The code goes to the user only, never to the agent, and files store its hash. An approval is for one guard, one payload and
// one folder, is used up by the first call, and ends after minutes. Both files are below ~/.holdfast, which the guards
// protect from commands; a program of the same user that no guard sees could still write them.

import { createHash, randomInt } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MINUTES = 10
const MOST_GUESSES = 5
/** Without letters that look alike. */
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'

export interface Subject {
  readonly guard: string
  /** The command, path or call as the user sees it. */
  readonly text: string
  readonly folder: string
}

interface Request extends Subject {
  readonly codeHash: string
  readonly rules: readonly string[]
  readonly reasons: readonly string[]
  readonly at: number
}

export interface Found extends Request {
  readonly key: string
}

const folderOf = (home: string): string => join(home, '.holdfast', 'guards', 'once')
const hash = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')
const keyOf = ({ guard, text, folder }: Subject): string => hash(guard, text, folder).slice(0, 32)

/** Whether a person approved exactly this; the approval is used up. */
export function takeApproval(home: string, subject: Subject, now: number): boolean {
  const file = join(folderOf(home), `${keyOf(subject)}.approved`)
  const taken = `${file}.${process.pid}`
  try {
    // Of two calls at once, only one can rename it.
    renameSync(file, taken)
  } catch {
    return false
  }
  try {
    const { until } = JSON.parse(readFileSync(taken, 'utf8')) as { until: number }
    return typeof until === 'number' && now < until && until - now <= MINUTES * 60_000
  } catch {
    return false
  } finally {
    rmSync(taken, { force: true })
  }
}

/** The code for the user; undefined if it cannot be stored. */
export function requestApproval(
  home: string,
  subject: Subject,
  findings: readonly { rule: string; reason: string }[],
  now: number,
): string | undefined {
  const code = Array.from({ length: 6 }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  const key = keyOf(subject)
  const request: Request = {
    ...subject,
    codeHash: hash(key, code),
    rules: findings.map(({ rule }) => rule),
    reasons: findings.map(({ reason }) => reason),
    at: now,
  }
  try {
    removeOld(home, now)
    write(home, `${key}.request`, request)
    return code
  } catch {
    return undefined
  }
}

/** By its code. After some wrong codes all requests end, so that nobody can try them all. */
export function findRequest(home: string, code: string, now: number): Found | undefined {
  const wanted = code.toUpperCase().replace(/[^A-Z0-9]/g, '')
  const found = requests(home, now).find(({ key, codeHash }) => codeHash === hash(key, wanted))
  const guesses = join(folderOf(home), 'guesses')
  if (found) {
    rmSync(guesses, { force: true })
    return found
  }
  const count = 1 + Number(textOf(guesses) ?? 0)
  if (count >= MOST_GUESSES) rmSync(folderOf(home), { recursive: true, force: true })
  else write(home, 'guesses', count)
  return undefined
}

/** Denials of the last minutes, the newest first. */
export const requests = (home: string, now: number): readonly Found[] =>
  filesIn(home, '.request')
    .flatMap(name => {
      try {
        return [
          { ...(JSON.parse(textOf(join(folderOf(home), name)) ?? '') as Request), key: name.slice(0, 32) },
        ]
      } catch {
        return []
      }
    })
    .filter(({ at }) => now - at < MINUTES * 60_000)
    .sort((a, b) => b.at - a.at)

export function approve(home: string, { key }: Found, now: number): void {
  write(home, `${key}.approved`, { until: now + MINUTES * 60_000 })
  rmSync(join(folderOf(home), `${key}.request`), { force: true })
}

function write(home: string, name: string, value: unknown): void {
  const folder = folderOf(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const next = join(folder, `${name}.${process.pid}.new`)
  writeFileSync(next, JSON.stringify(value), { mode: 0o600 })
  renameSync(next, join(folder, name))
}

function removeOld(home: string, now: number): void {
  for (const name of filesIn(home, '.request')) {
    const path = join(folderOf(home), name)
    try {
      if (now - (JSON.parse(readFileSync(path, 'utf8')) as Request).at >= MINUTES * 60_000) rmSync(path)
    } catch {
      rmSync(path, { force: true })
    }
  }
}

const filesIn = (home: string, end: string): string[] => {
  try {
    return readdirSync(folderOf(home)).filter(name => name.endsWith(end))
  } catch {
    return []
  }
}

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

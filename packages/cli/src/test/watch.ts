// --watch: a round, then another whenever a file that it depends on changes.

import { statSync } from 'node:fs'
import { shortPath } from '../print/place.js'
import { print } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import { isUsageError } from '../usage-error.js'
import type { TestFile } from './cases.js'
import { planCopy } from './copy.js'
import { chosen, EXIT, type RoundOptions, runRound } from './round.js'

/** A minimum interval, and at most a twentieth of the time. */
const LOOK_MS = 300
const SHARE = 20
const MOST_NAMED = 3

type Stamps = ReadonlyMap<string, string>

export async function watchRounds(options: RoundOptions): Promise<number> {
  const end = endOf(options.signal)
  const own = { ...options, signal: end.signal }
  let code: number = EXIT.passed
  try {
    // A wrong call is reported at once; later, files may be invalid for a moment.
    chosen(options)
    while (!end.signal.aborted) {
      const before = look(own)
      code = await round(own)
      if (end.signal.aborted) break
      if (!print(waiting(before, options))) break
      const changed = await change(own, before)
      if (changed.length > 0 && !print(`\n  ${changedWords(changed, options)}\n`)) break
    }
  } finally {
    end.release()
  }
  return code
}

async function round(options: RoundOptions): Promise<number> {
  try {
    return await runRound(options)
  } catch (error) {
    if (!isUsageError(error)) throw error
    print(`\n  ${visible(error.message)}\n\n`)
    return EXIT.wrong
  }
}

/** All files that a round reads: test files, the folders of the hooks, copied files. */
function look(options: RoundOptions): { stamps: Stamps; files: readonly TestFile[] } {
  const stamps = new Map<string, string>()
  const add = (path: string) => {
    const stamp = stampOf(path)
    if (stamp !== undefined) stamps.set(path, stamp)
  }
  let files: readonly TestFile[] = []
  try {
    files = chosen(options)
    for (const { file, hooks, copy } of files) {
      add(file)
      if (hooks !== '')
        for (const { from } of planCopy(
          hooks,
          copy.map(({ path }) => path),
        ).files)
          add(from)
    }
  } catch {
    // The round reports files that are missing or too large.
  }
  return { stamps, files }
}

function stampOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.size} ${stats.mtimeMs} ${stats.ino} ${stats.mode}`
}

async function change(options: RoundOptions, before: { stamps: Stamps }): Promise<string[]> {
  let wait = LOOK_MS
  while (!options.signal.aborted) {
    await pause(wait, options.signal)
    const began = performance.now()
    const { stamps } = look(options)
    wait = Math.max(LOOK_MS, (performance.now() - began) * SHARE)
    const changed = [...new Set([...before.stamps.keys(), ...stamps.keys()])].filter(
      // A file that is no longer watched has not changed because of that.
      path => before.stamps.get(path) !== (stamps.get(path) ?? stampOf(path)),
    )
    if (changed.length > 0) return changed
  }
  return []
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

function waiting(
  { stamps, files }: { stamps: Stamps; files: readonly TestFile[] },
  { screen }: RoundOptions,
) {
  const others = stamps.size - files.length
  if (files.length === 0) return `${screen.dim('  Waiting for a test file; Ctrl-C ends.')}\n`
  const what = `${count(files.length, 'test file')} and ${count(Math.max(0, others), 'file')} of the hooks`
  const how = process.stdin.isTTY ? 'q or Ctrl-C ends' : 'Ctrl-C ends'
  return `${screen.dim(`  Waiting for a change of ${what}; ${how}.`)}\n`
}

function changedWords(paths: readonly string[], { screen }: RoundOptions): string {
  const named = paths.slice(0, MOST_NAMED).map(path => shortPath(path, screen))
  const more = paths.length - named.length
  return `changed: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Ctrl-C, or the key q on a terminal. */
function endOf(signal: AbortSignal): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const { stdin } = process
  const stop = () => controller.abort()
  const pressed = (key: Buffer) => {
    if (/^[qQ\x03\x04]/.test(key.toString('latin1'))) stop()
  }
  signal.addEventListener('abort', stop, { once: true })
  if (stdin.isTTY) {
    stdin.setRawMode(true)
    stdin.on('data', pressed)
  }
  return {
    signal: controller.signal,
    release: () => {
      if (!stdin.isTTY) return
      stdin.setRawMode(false)
      stdin.off('data', pressed)
      stdin.pause()
    },
  }
}

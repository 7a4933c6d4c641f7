// The examples, and `holdfast` on them with a home folder of its own.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { root } from '../architecture/source.js'
import { pathWithPython } from '../python/python3.js'
import { canBeWarm, type Ended, runHoldfast, startWarm } from '../warm/warm.js'

export const folderOf = (name: string): string => join(root, 'examples', name)

export const examples = readdirSync(join(root, 'examples')).filter(name =>
  existsSync(join(folderOf(name), '.cursor/hooks.json')),
)
/** The tour has no test cases. */
export const tested = examples.filter(name => name !== 'tour')

export interface Runner {
  /** A temporary folder for the tests of this file. */
  readonly base: string
  run(cwd: string, home: string, ...args: string[]): Ended
  /** "ok", or the exit code with the output. */
  outcome(cwd: string, home: string, ...args: string[]): string
}

export function openRunner(): Runner {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-examples-')))
  const warm = canBeWarm ? startWarm() : undefined
  afterAll(async () => {
    await warm?.close()
    rmSync(base, { recursive: true, force: true })
  })
  const run: Runner['run'] = (cwd, home, ...args) => {
    mkdirSync(home, { recursive: true })
    const env = { ...process.env, PATH: pathWithPython, HOME: home, NO_COLOR: '1' }
    return runHoldfast(warm, args, { cwd, env })
  }
  return {
    base,
    run,
    outcome(cwd, home, ...args) {
      const { status, stdout, stderr } = run(cwd, home, ...args)
      return status === 0 ? 'ok' : `exit ${status}\n${stdout}${stderr}`
    },
  }
}

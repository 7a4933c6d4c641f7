// The examples, and `holdfast` in them with a separate home folder.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { PROFILE_NAMES } from '@holdfast/hooks/protocol'
import { afterAll } from 'vitest'
import { parse } from 'yaml'
import { root } from '../architecture/source.js'
import { cover } from '../cover.js'
import { canBeWarm, type Ended, PROGRAM, runHoldfast, startWarm } from '../warm/warm.js'

/** As the build completes it, with bundles and libraries. */
export const folderOf = (name: string): string => join(root, 'packages/cli/dist/examples', name)

export const examples = readdirSync(join(root, 'examples')).filter(name =>
  existsSync(join(root, 'examples', name, '.cursor/hooks.json')),
)
/** The tour has no test cases. */
export const tested = examples.filter(name => name !== 'tour')

/** Below it, the guards of the examples find the built command. */
function pathWithHoldfast(base: string): string {
  const bin = join(base, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'holdfast'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  })
  return [bin, dirname(process.execPath), process.env.PATH].join(delimiter)
}

export interface Runner {
  /** A temporary folder for the tests of this file. */
  readonly base: string
  run(cwd: string, home: string, ...args: string[]): Ended
  /** "ok", or the exit code with the output. */
  outcome(cwd: string, home: string, ...args: string[]): string
}

export function openRunner(): Runner {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-examples-')))
  const PATH = pathWithHoldfast(base)
  const warm = canBeWarm ? startWarm() : undefined
  afterAll(async () => {
    await warm?.close()
    rmSync(base, { recursive: true, force: true })
  })
  const run: Runner['run'] = (cwd, home, ...args) => {
    mkdirSync(home, { recursive: true })
    const env = { ...process.env, PATH, HOME: home, NO_COLOR: '1' }
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

interface Step {
  readonly event?: string
  readonly loop?: string
  readonly expect?: string | Readonly<Record<string, unknown>>
}

interface Case extends Step {
  readonly name: string
  readonly session?: readonly Step[]
  readonly profiles?: 'all' | readonly string[]
}

/** Each event with each single expectation about it. */
function featuresOf({ session, ...own }: Case): string[] {
  return (session ?? [own]).flatMap(({ event, loop, expect = {} }) => {
    const expected = typeof expect === 'string' ? { verdict: expect } : expect
    return Object.entries(expected).map(([what, value]) => JSON.stringify([event, loop, what, value]))
  })
}

/** One case for each version in which it runs. */
function inEachVersion(test: Case): Case[] {
  if (test.profiles === undefined) return [test]
  const names = test.profiles === 'all' ? PROFILE_NAMES : test.profiles
  return names.map(name => ({ ...test, name: `${name}: ${test.name}`, profiles: [name] }))
}

/**
 * Rewrites the test files below a .cursor folder with only a covering set of their cases: one for each expectation,
 * so that every rule that a case names runs. Returns the new files.
 */
export function writeFewCases(cursor: string, to: string): string[] {
  const tests = readdirSync(cursor, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.hooks-test.yaml'),
  )
  return tests.map(test => {
    const { cases, ...rest } = parse(readFileSync(join(cursor, test), 'utf8')) as { cases: Case[] }
    const few = [...cover(cases.flatMap(inEachVersion), featuresOf)]
    const file = join(to, basename(test).replace('.yaml', '.json'))
    mkdirSync(to, { recursive: true })
    writeFileSync(file, JSON.stringify({ ...rest, hooks: join(cursor, 'hooks.json'), cases: few }))
    return file
  })
}

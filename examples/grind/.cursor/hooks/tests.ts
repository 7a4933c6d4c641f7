// The command that tests a project: from .cursor/grind.json, or else the test script of package.json.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Tests {
  readonly root: string
  readonly command: string
  readonly timeoutMs: number
  readonly rounds: number
}

/** Less than "timeout" in hooks.json: the tests must end before the time limit of the hook. */
const LIMIT_SECONDS = 300
/** The same as "loop_limit" in hooks.json. */
const ROUNDS = 5

/** Undefined if the project has nothing to run. Throws if a file is invalid. */
export function findTests(roots: readonly string[]): Tests | undefined {
  for (const root of roots) {
    const config = readObject(join(root, '.cursor', 'grind.json'))
    const command = config?.command ?? npmTest(root)
    if (command === undefined) continue
    if (typeof command !== 'string' || command.trim() === '') throw wrong('command', 'a command as text')
    return {
      root,
      command,
      timeoutMs: 1000 * number(config?.timeout, 'timeout', LIMIT_SECONDS),
      rounds: number(config?.rounds, 'rounds', ROUNDS),
    }
  }
  return undefined
}

function npmTest(root: string): string | undefined {
  const scripts = readObject(join(root, 'package.json'))?.scripts as Record<string, unknown> | undefined
  const script = scripts?.test
  // The placeholder of `npm init` is not a test.
  if (typeof script !== 'string' || /no test specified/.test(script)) return undefined
  const [, runner] = RUNNERS.find(([file]) => existsSync(join(root, file))) ?? []
  return `${runner ?? 'npm'} test`
}

const RUNNERS = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun run'],
  ['bun.lockb', 'bun run'],
] as const

function number(value: unknown, name: string, most: number): number {
  if (value === undefined) return most
  if (typeof value === 'number' && value > 0 && value <= most) return value
  throw wrong(name, `a number above 0, up to ${most}`)
}

const wrong = (name: string, expected: string) =>
  new Error(`"${name}" in .cursor/grind.json is not ${expected}`)

/** Undefined if the file does not exist. */
function readObject(file: string): Record<string, unknown> | undefined {
  if (!existsSync(file)) return undefined
  let value: unknown
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${file} does not hold an object`)
  return value as Record<string, unknown>
}

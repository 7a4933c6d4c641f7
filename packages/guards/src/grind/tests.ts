// The command that tests a project, from its package.json.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export function npmTest(root: string): string | undefined {
  let scripts: Record<string, unknown> | undefined
  try {
    scripts = (
      JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts?: Record<string, unknown> }
    ).scripts
  } catch {
    return undefined
  }
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

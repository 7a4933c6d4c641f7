// Builds the native client with the C compiler of this machine. Without one, each event of an agent starts Node.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './steps.mjs'

const SOURCE = join(root, 'packages/cli/client/client.c')
const WARNINGS = ['-std=c11', '-Wall', '-Wextra', '-Werror']

/** Relative to the repository. */
export const clientPath = () => `packages/cli/client/dist/${process.platform}-${process.arch}/holdfast-client`

const compiler = () => process.env.CC || 'cc'

/** Windows has no sockets with owners, so the daemon does not run there. */
export const canCompile = () =>
  process.platform !== 'win32' && spawnSync(compiler(), ['--version'], { stdio: 'ignore' }).status === 0

export function buildClient() {
  if (!canCompile()) return
  const out = join(root, clientPath())
  mkdirSync(dirname(out), { recursive: true })
  // A running client keeps its file.
  rmSync(out, { force: true })
  // Without libraries to load, it starts in half the time. Some systems have no static C library.
  if (compile(out, ['-O2', '-s', '-static']) !== undefined) {
    const problem = compile(out, ['-O2'])
    if (problem !== undefined) throw new Error(problem)
  }
}

/** Undefined, or what the compiler printed. */
export function compile(out, options, source = SOURCE) {
  const { status, stderr } = spawnSync(compiler(), [...WARNINGS, ...options, '-o', out, source], {
    encoding: 'utf8',
  })
  return status === 0 ? undefined : stderr
}

// Builds the native client with the C compiler of this machine. Without one, each event of an agent starts Node.

import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './steps.mjs'

const SOURCE = join(root, 'packages/cli/client/client.c')
const HERE = `${process.platform}-${process.arch}`
const WARNINGS = ['-std=c11', '-Wall', '-Wextra', '-Werror']

export const CLIENT_NAME = 'holdfast-client'

/** Relative to the repository. */
export const clientPath = (platform = HERE) => `packages/cli/client/dist/${platform}/${CLIENT_NAME}`

const compiler = () => process.env.CC || 'cc'

/** Windows has no sockets with owners, so the daemon does not run there. */
export const canCompile = () =>
  process.platform !== 'win32' && spawnSync(compiler(), ['--version'], { stdio: 'ignore' }).status === 0

/** For another Linux, CC is a compiler for it; the compiler of macOS makes programs for both of its processors. */
export function buildClient(platform = HERE) {
  if (!canCompile()) return
  const out = join(root, clientPath(platform))
  mkdirSync(dirname(out), { recursive: true })
  // A running client keeps its file.
  rmSync(out, { force: true })
  const target = platform.startsWith('darwin-')
    ? ['-arch', platform.endsWith('x64') ? 'x86_64' : 'arm64']
    : []
  // Without libraries to load, it starts in half the time. Some systems have no static C library.
  if (compile(out, [...target, '-O2', '-s', '-static']) !== undefined) {
    const problem = compile(out, [...target, '-O2'])
    if (problem !== undefined) throw new Error(problem)
  }
}

/** Undefined, or what the compiler printed. */
export function compile(out, options, source = SOURCE) {
  const { error, status, stderr } = spawnSync(compiler(), [...WARNINGS, ...options, '-o', out, source], {
    encoding: 'utf8',
  })
  return status === 0 ? undefined : (error?.message ?? stderr)
}

if (process.argv[1]?.endsWith('build-client.mjs')) {
  const platforms = process.argv.slice(2)
  if (!canCompile()) throw new Error(`A native client needs a C compiler, and ${compiler()} is none.`)
  for (const platform of platforms.length > 0 ? platforms : [HERE]) buildClient(platform)
}

// Reads and plays a session: a text file with commands, their output, and the files they find.
// # title
// $ holdfast fire stop          a command for sh; lines that begin with "> " continue it
// expected output               stdout and stderr together; [MS], [TIME] and [ID] replace varying values,
// [W] the folder of the session, [PRINT] a fingerprint in groups,
// [...] any text, ... any lines
// ? 2                           its exit code, if it is not 0
// -- .cursor/hooks.json --      a file in the folder where the session begins; ~/ is its home folder.
// Files that begin with #! are executable.
// Spaces inside a line count as one, because durations move the columns. Processes that a step leaves running, such
// as a
// server, end with the session; bin/ has commands that start one. A step starts the real program, or calls the warm
// process.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PROGRAM, type Warm } from '../warm/warm.js'

export interface Step {
  readonly command: string
  readonly output: readonly string[]
  readonly exit: number
}

export interface SessionText {
  readonly comment: readonly string[]
  readonly steps: readonly Step[]
  /** The part with the files, unparsed. */
  readonly files: string
}

export interface Played extends Step {
  readonly expected: Step
}

const BESIDE = fileURLToPath(new URL('./bin', import.meta.url))
const STEP_LIMIT_MS = 60_000
const FILE_HEAD = /^-- (.+) --$/

export function readSession(text: string): SessionText {
  const all = text.split('\n')
  const firstFile = all.findIndex(line => FILE_HEAD.test(line))
  const script = all.slice(0, firstFile === -1 ? undefined : firstFile)
  const steps: { command: string; output: string[]; exit: number }[] = []
  const comment: string[] = []
  for (const line of script) {
    const step = steps.at(-1)
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), output: [], exit: 0 })
    else if (!step) comment.push(line)
    else if (line.startsWith('> ') && step.output.length === 0) step.command += `\n${line.slice(2)}`
    else if (/^\? \d+$/.test(line)) step.exit = Number(line.slice(2))
    else step.output.push(line)
  }
  return {
    comment,
    steps: steps.map(step => ({ ...step, output: trimmed(step.output) })),
    files: firstFile === -1 ? '' : all.slice(firstFile).join('\n'),
  }
}

/** Blank lines at the end separate steps; they are not output. */
function trimmed(output: readonly string[]): string[] {
  const last = output.findLastIndex(line => line.trim() !== '')
  return output.slice(0, last + 1)
}

/** If a warm process is present, it runs the commands of a step. */
export async function play(
  session: SessionText,
  warmFor: (step: Step) => Warm | undefined,
): Promise<Played[]> {
  // Output wraps by real path length, so the prefix must be as long as in the recorded session.
  const parent = existsSync('/tmp') ? '/tmp' : tmpdir()
  const folder = realpathSync(mkdtempSync(join(parent, 'holdfast-session-')))
  const groups: number[] = []
  try {
    const env = furnish(folder, session.files)
    const played: Played[] = []
    for (const step of session.steps) {
      const warm = warmFor(step)
      const own = warm ? { ...env, ...warm.variables, RUNNER: warm.runner } : env
      const run = warm ? intoFile : intoPipe
      const { output, exit } = await run(step.command, join(folder, 'shop'), own, groups)
      const lines = trimmed(output.replaceAll(folder, '[W]').split('\n'))
      played.push({ command: step.command, output: lines, exit, expected: step })
    }
    return played
  } finally {
    for (const group of groups) end(group)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** A shop folder, a home, an empty enterprise folder, and holdfast on the path. */
function furnish(folder: string, files: string): NodeJS.ProcessEnv {
  for (const name of ['shop', 'home', 'enterprise', 'bin']) mkdirSync(join(folder, name))
  for (const [name, content] of filesOf(files)) {
    const path = name.startsWith('~/') ? join(folder, 'home', name.slice(2)) : join(folder, 'shop', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    if (content.startsWith('#!')) chmodSync(path, 0o755)
  }
  cpSync(BESIDE, join(folder, 'bin'), { recursive: true })
  const wrapper = join(folder, 'bin', 'holdfast')
  writeFileSync(wrapper, WRAPPER)
  chmodSync(wrapper, 0o755)
  return {
    PATH: `${join(folder, 'bin')}:${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    HOME: join(folder, 'home'),
    NODE: process.execPath,
    RUNNER: process.execPath,
    PROGRAM,
    W: folder,
    TMPDIR: folder,
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  }
}

/**
 * Nothing of the machine may be visible: the enterprise folder belongs to the session unless a step names another. A guard
 * may run inside another command, and a warm process runs one command at a time.
 */
const WRAPPER = `#!/bin/sh
case "$1 $*" in
  guard\\ *) exec "$NODE" "$PROGRAM" "$@" ;;
  *" --enterprise"* | *--help*) exec "$RUNNER" "$PROGRAM" "$@" ;;
  *install\\ *install\\ cursor*) exec "$RUNNER" "$PROGRAM" "$@" --enterprise-dir "$W/enterprise" ;;
  check\\ * | list\\ * | fire\\ * | explain\\ * | trust\\ * | compat\\ * | doctor\\ * | replay\\ *) exec "$RUNNER" "$PROGRAM" "$@" --enterprise "$W/enterprise" ;;
  *) exec "$RUNNER" "$PROGRAM" "$@" ;;
esac
`

function filesOf(text: string): [string, string][] {
  const files: [string, string[]][] = []
  for (const line of text.split('\n')) {
    const head = FILE_HEAD.exec(line)
    if (head?.[1]) files.push([head[1], []])
    else files.at(-1)?.[1].push(line)
  }
  return files.map(([name, lines]) => [name, `${lines.join('\n').trimEnd()}\n`])
}

/** Each step has its own process group. */
function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // nothing is left of it
  }
}

interface Ended {
  readonly output: string
  readonly exit: number
}

type Run = (command: string, cwd: string, env: NodeJS.ProcessEnv, groups: number[]) => Promise<Ended>

const intoPipe: Run = (command, cwd, env, groups) => {
  const child = shell(command, cwd, env, 'pipe', groups)
  const chunks: Buffer[] = []
  child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ output: Buffer.concat(chunks).toString('utf8'), exit: code ?? -1 }))
  })
}

/** Node's pipes are sockets, which the warm process cannot open. It can open a file. */
const intoFile: Run = (command, cwd, env, groups) => {
  const path = join(env.W!, 'output')
  const file = openSync(path, 'a+')
  writeFileSync(path, '')
  const child = shell(command, cwd, env, file, groups)
  closeSync(file)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => resolve({ output: readFileSync(path, 'utf8'), exit: code ?? -1 }))
  })
}

function shell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  output: 'pipe' | number,
  groups: number[],
): ChildProcess {
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    env,
    stdio: ['ignore', output, 'ignore'],
    detached: true,
  })
  groups.push(child.pid!)
  // A step that hangs must not outlive the test.
  const limit = setTimeout(() => end(child.pid!), STEP_LIMIT_MS)
  child.once('close', () => clearTimeout(limit))
  return child
}

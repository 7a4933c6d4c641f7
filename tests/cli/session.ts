// Reads and plays a session: a text file with commands, what they print, and the files they find.
//
//   # what it shows
//   $ holdfast fire stop          a command for sh; lines that begin with "> " continue it
//   expected output               stdout and stderr together; [MS], [TIME] and [ID] stand for what varies,
//                                 [W] for the folder of the session, [PRINT] for a fingerprint in groups,
//                                 [...] for any text, ... for any lines
//   ? 2                           its exit code, when it is not 0
//   -- .cursor/hooks.json --      a file in the folder where the session begins; ~/ is its home folder.
//                                 Files that begin with #! are executable.
//
// Spaces inside a line count as one, since durations move the columns. What a step leaves running, such as a server, ends
// with the session; bin/ has commands that begin with one.

import { spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Step {
  readonly command: string
  readonly output: readonly string[]
  readonly exit: number
}

export interface SessionText {
  readonly comment: readonly string[]
  readonly steps: readonly Step[]
  /** The part with the files, as it stands. */
  readonly files: string
}

export interface Played extends Step {
  readonly expected: Step
}

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))
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

/** Blank lines at the end separate steps, they are not output. */
function trimmed(output: readonly string[]): string[] {
  const last = output.findLastIndex(line => line.trim() !== '')
  return output.slice(0, last + 1)
}

export async function play(session: SessionText): Promise<Played[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-session-')))
  const groups: number[] = []
  try {
    const env = furnish(folder, session.files)
    const played: Played[] = []
    for (const step of session.steps) {
      const { output, exit } = await shell(step.command, join(folder, 'shop'), env, groups)
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
    BIN,
    W: folder,
    TMPDIR: folder,
    TZ: 'UTC',
    LC_ALL: 'C.UTF-8',
  }
}

/** Nothing of the machine may show: the enterprise folder is the session's own unless a step names another. */
const WRAPPER = `#!/bin/sh
case "$1 $*" in
  *" --enterprise"* | *--help*) exec "$NODE" "$BIN" "$@" ;;
  *install\\ *install\\ cursor*) exec "$NODE" "$BIN" "$@" --enterprise-dir "$W/enterprise" ;;
  check\\ * | list\\ * | fire\\ * | explain\\ * | trust\\ * | compat\\ * | doctor\\ * | replay\\ *) exec "$NODE" "$BIN" "$@" --enterprise "$W/enterprise" ;;
  *) exec "$NODE" "$BIN" "$@" ;;
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

/** Each step has a group of its own. */
function end(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // nothing is left of it
  }
}

function shell(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  groups: number[],
): Promise<{ output: string; exit: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    groups.push(child.pid!)
    // A step that hangs must not outlive the test.
    const limit = setTimeout(() => end(child.pid!), STEP_LIMIT_MS)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', reject)
    child.once('close', code => {
      clearTimeout(limit)
      resolve({ output: Buffer.concat(chunks).toString('utf8'), exit: code ?? -1 })
    })
  })
}

// A separate folder for one page, with a home beside it and the built command on PATH.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { root } from '../architecture/source.js'
import { PROGRAM, type Warm } from '../warm/warm.js'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Place {
  readonly folder: string
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  write(path: string, text: string, mode?: number): string
  run(file: string, args: readonly string[], input?: string): Ended
  /** Runs a code block according to its language. */
  execute(language: string, text: string): Ended
  close(): void
}

/** With a warm process, shell blocks run most `holdfast` commands in it. */
export function openPlace(warm?: Warm): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-docs-')))
  const folder = join(base, 'project')
  const home = join(base, 'home')
  const bin = join(base, 'bin')
  for (const path of [folder, home, bin, join(base, 'tmp')]) mkdirSync(path)
  const command = join(bin, 'holdfast')
  // The warm process runs one command at a time; a server would block it, and a guard runs inside another command.
  const script = `case "\${WARM:-cold} $1" in
  cold* | *serve | *mcp | *guard) exec '${process.execPath}' '${PROGRAM}' "$@" ;;
  *) exec '${warm?.runner}' '${PROGRAM}' "$@" ;;
esac`
  writeFileSync(command, `#!/bin/sh\n${script}\n`)
  chmodSync(command, 0o755)
  // The packages are found from here as if they were installed.
  symlinkSync(join(root, 'node_modules'), join(base, 'node_modules'))
  // A checkout beside the project, for pages that copy from it.
  symlinkSync(root, join(base, 'holdfast'))
  const env = {
    PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    TMPDIR: join(base, 'tmp'),
    NO_COLOR: '1',
    // npx runs only installed programs, and does not ask.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  }

  const run = (file: string, args: readonly string[], input = ''): Ended => {
    const { status, stdout, stderr } = spawnSync(file, args, {
      cwd: folder,
      env,
      input,
      encoding: 'utf8',
      timeout: 60_000,
    })
    return { code: status, stdout, stderr }
  }
  const runShell = (text: string): Ended => {
    const args = ['-e', '-c', text]
    if (!warm) return run('/bin/sh', args)
    // Node's pipes are sockets, which the warm process cannot open. It can open files.
    const [stdout, stderr] = [join(base, 'stdout'), join(base, 'stderr')]
    for (const path of [stdout, stderr]) rmSync(path, { force: true })
    // All commands of a block append to the same output.
    const [out, err] = [openSync(stdout, 'a'), openSync(stderr, 'a')]
    const { status } = spawnSync('/bin/sh', args, {
      cwd: folder,
      env: { ...env, ...warm.variables },
      stdio: ['ignore', out, err],
      timeout: 60_000,
    })
    closeSync(out)
    closeSync(err)
    return { code: status, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') }
  }
  const write = (path: string, text: string, mode = 0o644) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
  return {
    folder,
    home,
    env,
    write,
    run,
    execute(language, text) {
      if (language === 'sh') return runShell(text)
      if (language === 'python') return run('python3', ['-B', '-c', text])
      if (language === 'js') return run(process.execPath, [write('example.mjs', text)])
      throw new Error(`Blocks of the language "${language}" cannot be run.`)
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}

/** A quotation of a page: "…" matches anything; times, sizes, gaps and line ends may differ. */
export function asPattern(text: string): RegExp {
  const literal = text.trim().replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  const loose = literal
    .replaceAll('…', '[\\s\\S]*?')
    .replace(/\d+(\\\.\d+)? (ms|s)\b/g, '[\\d.]+ m?s')
    .replace(/\d+(\\\.\d+)? KB\b/g, '[\\d.]+ KB')
    .replace(/\s+/g, '\\s+')
  return new RegExp(`^\\s*${loose}\\s*$`)
}

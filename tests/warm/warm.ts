// A process that runs `holdfast` commands without starting Node for each. It needs /proc of Linux; `npm run test:all`
// and other systems start the real program.

import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watched } from '../processes.js'
import { runsEverything } from '../scope.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export const PROGRAM = at('../../packages/cli/bin/holdfast.cjs')
export const canBeWarm = process.platform === 'linux' && !runsEverything

export interface Warm {
  /** Starts PROGRAM in place of Node: `$RUNNER $PROGRAM arguments`. */
  readonly runner: string
  /** Variables for the environment of a caller. */
  readonly variables: { readonly WARM: string }
  readonly folder: string
  close(): Promise<void>
}

export function startWarm(): Warm {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-warm-'))
  spawnSync('mkfifo', [join(folder, 'calls'), join(folder, 'answers')])
  const server = watched(
    spawn(process.execPath, [at('./server.cjs'), folder, PROGRAM], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {},
    }),
  )
  const ended = new Promise(resolve => server.once('exit', resolve))
  return {
    runner: at('./client'),
    variables: { WARM: folder },
    folder,
    async close() {
      server.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs `holdfast` with these arguments: in the warm process if there is one, otherwise as a separate process. */
export function runHoldfast(
  warm: Warm | undefined,
  args: readonly string[],
  {
    input = '',
    ...options
  }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly input?: string },
): Ended {
  if (!warm) return spawnSync(process.execPath, [PROGRAM, ...args], { ...options, input, encoding: 'utf8' })
  // Node's pipes are sockets, which the warm process cannot open. It can open files.
  const [stdin, stdout, stderr] = ['stdin', 'stdout', 'stderr'].map(name => join(warm.folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(stdin, input)
  const stdio = [openSync(stdin, 'r'), openSync(stdout, 'w'), openSync(stderr, 'w')]
  const env = { ...options.env, ...warm.variables }
  const { status } = spawnSync(warm.runner, [PROGRAM, ...args], { ...options, env, stdio })
  for (const file of stdio) closeSync(file)
  return { status, stdout: readFileSync(stdout, 'utf8'), stderr: readFileSync(stderr, 'utf8') }
}

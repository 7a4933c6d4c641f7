// The built command in a separate process, with a separate home.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watched } from '../processes.js'

export const HOLDFAST = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function holdfast(home: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = watched(
    spawn(process.execPath, [HOLDFAST, ...args, '--home', home], {
      cwd: home,
      env: { ...process.env, HOME: home, NO_COLOR: '1', NODE_EXTRA_CA_CERTS: '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const text = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (part: Buffer) => {
      text[name] += part
    })
  }
  return new Promise(resolve => child.on('close', code => resolve({ code, ...text })))
}

/** A shell command about to run, and the result of hooks: 0 it proceeds, 2 it is denied. */
export const fire = (home: string, command: string, ...more: string[]): Promise<Ended> =>
  holdfast(home, [
    ...['fire', 'beforeShellExecution', '--command', command],
    ...['--enterprise', join(home, 'none'), '--json', ...more],
  ])

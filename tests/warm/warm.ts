// A process that runs `holdfast` commands without starting Node for each. It reads /proc, so only Linux has it;
// `npm run test:all` and other systems start the real program.

import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
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
  /** For the environment of a caller. */
  readonly variables: { readonly WARM: string }
  close(): Promise<void>
}

export function startWarm(): Warm {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-warm-'))
  spawnSync('mkfifo', [join(folder, 'calls'), join(folder, 'answer')])
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
    async close() {
      server.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

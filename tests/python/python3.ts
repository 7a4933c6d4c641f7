// The Python of this machine, if it is recent enough.

import { spawnSync } from 'node:child_process'

const PROBE = 'import sys; print(sys.executable); sys.exit(sys.version_info < (3, 9))'

/** The real program: `python3` may be a version shim, which searches for it at each start. */
export const python3: string | undefined = (() => {
  const { status, stdout } = spawnSync('python3', ['-I', '-c', PROBE], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
})()

export const sayThatItIsMissing = (what: string): void => {
  process.stderr.write(`python3 (3.9 or newer) was not found: ${what} is not tested here.\n`)
}

// A Python for the tests, without the packages of the machine, which can triple the time of a start.

import { spawnSync } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** PATH with a virtual environment in front that is created below this folder; without one if Python is missing. */
export function pathWithPython(folder: string): string {
  const environment = join(folder, 'python')
  const { status } = spawnSync('python3', ['-m', 'venv', '--without-pip', environment])
  const own = process.env.PATH ?? ''
  return status === 0 ? join(environment, 'bin') + delimiter + own : own
}

// Formats the file that the agent has just changed, with the formatter of the project: only this file, only inside the
// workspace, with a time limit. Decides nothing.

import { spawn } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { type Guard, type Judgement, NOTHING } from '../guard.js'
import { filesOf } from '../payload.js'
import { formatterOf } from './formatters.js'

/** Not text of the project. */
const FOREIGN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|vendor)\//

export const format: Guard = {
  name: 'format',
  summary: 'formats each changed file with the formatter of the project',
  options: { seconds: { type: 'number', about: 'the time limit of a formatter', default: 10 } },
  alternatives: {},
  async judge(payload, options, place): Promise<Judgement> {
    const [given] = filesOf(payload)
    if (!given) return NOTHING
    const root = real(place.root)
    const file = real(resolve(place.cwd, given.path))
    // A link that leads out of the workspace belongs to somebody else.
    if (
      !root ||
      !file?.startsWith(root + sep) ||
      !statSync(file).isFile() ||
      FOREIGN.test(relative(root, file))
    )
      return NOTHING
    const formatter = formatterOf(file, root)
    if (!formatter) return NOTHING
    const seconds = typeof options.seconds === 'number' ? options.seconds : 10
    const problem = await run(formatter.command, formatter.args, dirname(file), seconds)
    if (problem)
      process.stderr.write(`${formatter.command} did not format ${relative(root, file)}: ${problem}\n`)
    return NOTHING
  },
}

const real = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Undefined if it succeeded. */
function run(
  command: string,
  args: readonly string[],
  cwd: string,
  seconds: number,
): Promise<string | undefined> {
  return new Promise(done => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: seconds * 1000 })
    let errors = ''
    child.stderr.on('data', chunk => {
      errors = (errors + chunk).slice(-4000)
    })
    child.once('error', error => done(error.message))
    child.once('close', (code, signal) =>
      done(
        code === 0
          ? undefined
          : signal
            ? `took longer than ${seconds} s`
            : errors.trim().split('\n').at(-1)?.slice(0, 200) || `ended with ${code}`,
      ),
    )
  })
}

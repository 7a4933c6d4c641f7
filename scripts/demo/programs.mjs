// Starts the command as a user would, and ends what it started.

import { execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../steps.mjs'

const COMMAND = join(root, 'packages/cli/bin/holdfast.cjs')

/** The settings of the user have no effect. */
const envOf = home => ({ ...process.env, HOME: home, NO_COLOR: '1', NODE_EXTRA_CA_CERTS: '' })

/** Runs a program to its end. Returns the output; throws an error with its stderr. */
export const holdfast = (home, args, env = {}) =>
  new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [COMMAND, ...args, '--home', home],
      { cwd: home, env: { ...envOf(home), ...env } },
      (error, stdout, stderr) =>
        error ? reject(new Error(`holdfast ${args[0]}: ${stderr.trim() || error.message}`)) : resolve(stdout),
    ),
  )

/** Runs until it is stopped. It prints JSON objects; for some commands Enter prints another. */
export function holdfastOn(home, args, { log } = {}) {
  const child = spawn(process.execPath, [COMMAND, ...args, '--home', home, '--json'], {
    cwd: home,
    env: envOf(home),
    stdio: ['pipe', 'pipe', log ?? 'pipe'],
    // Ctrl-C reaches the whole process group of a terminal. This process must end later than the others.
    detached: true,
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const waiting = []
  let said = ''
  let complained = ''
  child.stdin.on('error', () => {})
  child.stderr?.on('data', chunk => (complained += chunk))
  child.stdout.on('data', chunk => {
    said += chunk
    try {
      const value = JSON.parse(said)
      said = ''
      waiting.shift()?.resolve(value)
    } catch {
      // More output follows.
    }
  })
  const heard = () => new Promise((resolve, reject) => waiting.push({ resolve, reject }))
  ended.then(() => {
    for (const { reject } of waiting) reject(new Error(complained.trim() || `holdfast ${args[0]} ended.`))
  })
  return {
    first: heard(),
    next() {
      child.stdin.write('\n')
      return heard()
    },
    stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return ended
    },
  }
}

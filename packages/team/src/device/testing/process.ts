// For tests: starts child.ts as a process. It is bundled once for a test file, as Node runs no TypeScript.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'

export async function bundleChild(folder: string): Promise<string> {
  const outfile = join(folder, 'child.cjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'child.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'error',
    // Read in at each of some hundred starts.
    minify: true,
  })
  return outfile
}

export interface Ran {
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export function start(file: string, orders: object, wrap: readonly string[] = []): ChildProcess {
  const [command = '', ...args] = [...wrap, process.execPath, file, JSON.stringify(orders)]
  return spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH } })
}

export function ended(child: ChildProcess): Promise<Ran> {
  let [out, err] = ['', '']
  child.stdout?.on('data', text => (out += text))
  child.stderr?.on('data', text => (err += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, signal) => resolve({ signal, out, err }))
  })
}

/** Resolves when it has printed so many lines. */
export const said = (child: ChildProcess, lines: number): Promise<void> =>
  new Promise((resolve, reject) => {
    let count = 0
    child.stdout?.on('data', (text: Buffer) => {
      for (const byte of text) if (byte === 10 && ++count === lines) resolve()
    })
    child.once('close', () => reject(new Error('It ended before it had printed enough.')))
  })

/** Some at a time: the machine has few cores. */
export async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>) {
  const waiting = [...items]
  const lane = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

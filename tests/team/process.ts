// Starts servers in separate processes, from the current sources.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { watched } from '../processes.js'

/** From here, and from where a bench has bundled this file. */
const root = (() => {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'packages/server/src'))) folder = dirname(folder)
  return folder
})()
const at = (path: string) => join(root, path)
/** Under the server's node_modules, so that the bundle finds its packages. */
const out = at(`packages/server/node_modules/.cache/holdfast-team/${process.pid}`)

let built: Promise<string> | null = null

export const builtServer = (): Promise<string> => {
  built ??= bundle()
  return built
}

async function bundle(): Promise<string> {
  process.once('exit', () => rmSync(out, { recursive: true, force: true }))
  await build({
    entryPoints: {
      server: at('tests/team/server-process.ts'),
      'records-writer': at('packages/server/src/store/writer/thread.ts'),
      'records-reader': at('packages/server/src/store/reader-thread.ts'),
    },
    outdir: out,
    bundle: true,
    // Without it, modules behind an import() are initialised too late for modules that import them directly.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    alias: {
      '@holdfast/hooks': at('packages/hooks/src/index.ts'),
      '@holdfast/hooks/protocol': at('packages/hooks/src/protocol/index.ts'),
      '@holdfast/hooks/team': at('packages/hooks/src/team/index.ts'),
      '@holdfast/team': at('packages/team/src/index.ts'),
    },
    logLevel: 'error',
  })
  return join(out, 'server.js')
}

export interface ServerProcess {
  readonly child: ChildProcess
  readonly url: string
  /** As a power failure would. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export async function startServer(options: {
  database: string
  otlp?: { url: string } | undefined
}): Promise<ServerProcess> {
  const child = watched(
    spawn(process.execPath, [await builtServer(), JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_EXTRA_CA_CERTS: '' },
    }),
  )
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', line => resolve(JSON.parse(line).port))
    child.once('exit', code => reject(new Error(`The server ended with code ${code}.`)))
  })
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.stdin!.end()
      await ended
    },
  }
}

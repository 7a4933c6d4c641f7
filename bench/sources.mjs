// Bundles sources and tests for the benches in each run, so that a bench measures the current code.

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Below the server's node_modules, so that the bundles find their packages. */
const out = join(root, 'packages/server/node_modules/.cache/holdfast-bench', String(process.pid))
process.once('exit', () => rmSync(out, { recursive: true, force: true }))

let count = 0

/** A module of this repository, written in TypeScript. */
export async function load(...files) {
  mkdirSync(out, { recursive: true })
  const stdin = {
    contents: files.map(file => `export * from ${JSON.stringify(`./${file}`)}`).join('\n'),
    resolveDir: root,
    loader: 'ts',
  }
  const outfile = join(out, `${++count}.js`)
  await bundle({ stdin, outfile })
  // The server looks for its worker threads beside its bundle.
  const threads = { 'records-writer': 'writer/thread.ts', 'records-reader': 'reader-thread.ts' }
  for (const [name, file] of Object.entries(threads)) {
    await bundle({ entryPoints: { [name]: join(root, 'packages/server/src/store', file) }, outdir: out })
  }
  return import(pathToFileURL(outfile).href)
}

const bundle = options =>
  build({
    ...options,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    alias: {
      '@holdfast/hooks': join(root, 'packages/hooks/src/index.ts'),
      '@holdfast/hooks/protocol': join(root, 'packages/hooks/src/protocol/index.ts'),
      '@holdfast/hooks/team': join(root, 'packages/hooks/src/team/index.ts'),
      '@holdfast/team': join(root, 'packages/team/src/index.ts'),
    },
    logLevel: 'error',
  })

// What the commands of this repository share: run a step, say what it is, say how long it took.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Runs a program in the repository; its output is shown at once, or only when it fails. */
export function run(file, args, { quiet = false, env = {}, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    })
    let output = ''
    child.stdout?.on('data', chunk => (output += chunk))
    child.stderr?.on('data', chunk => (output += chunk))
    child.once('error', reject)
    child.once('close', code => {
      if (code === 0) return resolve(output)
      if (quiet) process.stderr.write(output)
      reject(new Error(`${file} ${args.slice(0, 3).join(' ')} ended with code ${code}.`))
    })
  })
}

/** Says a step before it begins and its time after it ended. */
export async function step(title, work) {
  const began = performance.now()
  process.stdout.write(`  ${title} … `)
  try {
    await work()
    process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  } catch (error) {
    process.stdout.write('failed\n')
    throw error
  }
}

/** Runs a file of an installed package with this Node, without asking PATH. */
export const bin = path => join(root, 'node_modules', path)

/** Installs what the lockfile names, unless exactly that is installed. */
export async function install() {
  const wanted = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const stamp = join(root, 'node_modules', '.holdfast-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  await step('installing dependencies', async () => {
    // Not "npm ci": it refuses a lockfile written on one platform for not naming the binaries of all others.
    await run('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'], { quiet: true })
    writeFileSync(stamp, wanted)
  })
}

/** TypeScript cannot be imported by Node 20, so it is bundled into a file that can, which is gone afterwards. */
export async function bundled(entry) {
  const esbuild = await import('esbuild')
  // Inside node_modules, where the installed packages are found and nobody looks for changes.
  const file = join(root, 'node_modules', `.holdfast-bundle-${process.pid}.mjs`)
  try {
    await esbuild.build({
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
    return await import(pathToFileURL(file).href)
  } finally {
    rmSync(file, { force: true })
  }
}

export async function main(work) {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`\n${error.message}\n`)
    process.exitCode = 1
  }
}

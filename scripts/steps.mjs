// Shared by the commands of this repository: run a step, print its title and its duration, skip it when nothing changed.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

/**
 * Prints the title of a step when it begins and its duration when it has ended. `progress` returns a word on how far it
 * is: on a terminal it is updated each second, elsewhere it is printed each 10 seconds.
 */
export async function step(title, work, progress) {
  const began = performance.now()
  const { isTTY } = process.stdout
  process.stdout.write(`  ${title} … `)
  const timer =
    progress &&
    setInterval(
      () => process.stdout.write(isTTY ? `\r\x1b[K  ${title} … ${progress()} ` : `${progress()} … `),
      isTTY ? 1000 : 10_000,
    )
  try {
    await work()
    clearInterval(timer)
    if (timer && isTTY) process.stdout.write(`\r\x1b[K  ${title} … `)
    process.stdout.write(`${((performance.now() - began) / 1000).toFixed(1)} s\n`)
  } catch (error) {
    clearInterval(timer)
    process.stdout.write('failed\n')
    throw error
  }
}

/**
 * A step that is skipped when its inputs are those of the last successful run and its outputs still exist.
 * Inputs are files and folders below the repository, outputs are paths there.
 */
export async function stepUnlessUnchanged(title, { inputs, outputs = [], ignore = () => false }, work) {
  const stamp = join(root, 'node_modules/.cache/holdfast', `${title.replaceAll(' ', '-')}.stamp`)
  const wanted = digest(inputs, ignore)
  const isDone = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  if (isDone && outputs.every(path => existsSync(join(root, path)))) return
  // Removed first: an interrupted step is repeated.
  rmSync(stamp, { force: true })
  await step(title, work)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

const GENERATED = new Set(['node_modules', 'dist', '__pycache__', '.git', '.demo', 'artefacts', 'coverage'])

/** Paths and contents of all files below these paths. */
function digest(paths, ignore) {
  const hash = createHash('sha256')
  const add = path => {
    const entry = relative(root, path)
    if (ignore(entry)) return
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) if (!GENERATED.has(name)) add(join(path, name))
      return
    }
    const content = readFileSync(path)
    hash.update(`${entry}\0${content.length}\0`).update(content)
  }
  for (const path of paths) add(join(root, path))
  return hash.digest('hex')
}

/** The path of a program in an installed package, to be run by this Node instead of through PATH. */
export const bin = path => join(root, 'node_modules', path)

/** Installs what the lockfile names, unless exactly that is installed. */
export async function install() {
  const wanted = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const stamp = join(root, 'node_modules', '.holdfast-lock')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  const paths = Object.keys(JSON.parse(wanted).packages).filter(path => path.includes('node_modules/'))
  // npm unpacks after it has downloaded everything; until then the count is 0.
  const progress = () => {
    const present = paths.filter(path => existsSync(join(root, path))).length
    return present === 0 ? 'downloading' : `${present} of about ${paths.length} packages`
  }
  await step(
    'installing dependencies',
    async () => {
      await npmInstall([])
      writeFileSync(stamp, wanted)
    },
    progress,
  )
}

/** Installs packages that one rare command needs, with their versions; package.json does not name them. */
export async function installOnDemand(title, packages) {
  if (packages.every(isInstalled)) return
  await step(`installing ${title}`, () => npmInstall(packages))
}

async function npmInstall(packages) {
  // Not "npm ci": it removes node_modules first, and with it what earlier builds and checks stored there.
  const options = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = () => run('npm', ['install', ...options, ...packages], { quiet: true })
  if (packages.length > 0) await npm()
  else await withAddresses(npm)
  // Vitest 4.1 removes its cache after an install, does not create it again, and fails when it writes to it.
  rmSync(join(root, 'node_modules/.experimental-vitest-cache'), { recursive: true, force: true })
}

/**
 * The lockfile names no registry, so npm would request the description of every package to find its address: two thirds
 * of the CPU time of an install. npm prefers this file to package-lock.json, and still verifies each package by its hash.
 */
async function withAddresses(install) {
  const file = join(root, 'npm-shrinkwrap.json')
  const registry = (await run('npm', ['config', 'get', 'registry'], { quiet: true }))
    .trim()
    .split('\n')
    .at(-1)
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = entry.name ?? path.split('node_modules/').at(-1)
    if (!entry.integrity) continue
    entry.resolved ??= `${registry.replace(/\/$/, '')}/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`
  }
  try {
    writeFileSync(file, JSON.stringify(lock))
    await install()
  } catch {
    process.stdout.write('again, with the addresses that the registry names … ')
    rmSync(file)
    await install()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Whether exactly this version is there, such as `name@1.2.3`. */
function isInstalled(wanted) {
  const at = wanted.lastIndexOf('@')
  const manifest = bin(`${wanted.slice(0, at)}/package.json`)
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === wanted.slice(at + 1)
}

/** Packages of this repository that may not be built yet. */
const SOURCES = Object.fromEntries(
  ['/protocol', '/testing', '/bridges', ''].map(entry => [
    `@holdfast/hooks${entry}`,
    join(root, 'packages/hooks/src', entry, 'index.ts'),
  ]),
)

/** TypeScript cannot be imported by Node 20, so it is bundled into a file that can, which is gone afterwards. */
export async function bundled(entry) {
  const esbuild = await import('esbuild')
  // Inside node_modules: there it finds the installed packages, and does not count as a change.
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
      alias: SOURCES,
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

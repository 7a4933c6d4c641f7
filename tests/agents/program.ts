// Installs the agents from npm, once, into a folder that git ignores.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/holdfast-agents', import.meta.url))

/** Certificates that this machine needs for the registry. Tests start programs without them, which is faster. */
export const CERTIFICATES = process.env.HOLDFAST_TEST_CERTS ?? ''

export interface Program {
  readonly package: string
  readonly version: string
}

/** The folder of the installed package. */
export async function installed({ package: name, version }: Program): Promise<string> {
  const place = join(CACHE, `${name.replace(/[@/]/g, '_')}-${version}`)
  if (!existsSync(place)) {
    const half = `${place}.${process.pid}`
    process.stdout.write(`  installing ${name}@${version} …\n`)
    rmSync(half, { recursive: true, force: true })
    mkdirSync(half, { recursive: true })
    // The programs are used as packed: install scripts of packages do not run.
    const args = [
      'install',
      '--prefix',
      half,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ]
    const { exitCode, output } = await finished('npm', [...args, `${name}@${version}`], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATES },
      timeoutMs: 600_000,
    })
    if (exitCode !== 0) {
      rmSync(half, { recursive: true, force: true })
      throw new Error(`npm could not install ${name}@${version}:\n${output}`)
    }
    try {
      renameSync(half, place)
    } catch (error) {
      // Another test file has installed it meanwhile.
      rmSync(half, { recursive: true, force: true })
      if (!existsSync(place)) throw error
    }
  }
  return join(place, 'node_modules', name)
}

/** The file that the package declares as its program. */
export function binOf(folder: string, name: string): string {
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bin === 'string' ? bin : bin[name])
}

interface Running {
  readonly cwd?: string
  /** A folder whose files the program sees in /etc, beside those of this machine. Requires Linux namespaces. */
  readonly etc?: string | undefined
  readonly env?: NodeJS.ProcessEnv
  readonly timeoutMs: number
}

/** Runs a program in its own process group, so that a time-out ends all of it. */
export function finished(
  file: string,
  args: readonly string[],
  { cwd, env, etc, timeoutMs }: Running,
): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const overlay = 'mount -t overlay overlay -o "lowerdir=$0:/etc" /etc && exec "$@"'
    const [program, words] = etc
      ? ['unshare', ['--map-root-user', '--mount', 'sh', '-c', overlay, etc, file, ...args]]
      : [file, args]
    const child = spawn(program, words, {
      cwd,
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    const clock = setTimeout(() => {
      output += `\n[ended after ${timeoutMs} ms]`
      endGroup(child.pid)
    }, timeoutMs)
    child.stdout.on('data', chunk => (output += chunk))
    child.stderr.on('data', chunk => (output += chunk))
    child.once('error', reject)
    child.once('close', exitCode => {
      clearTimeout(clock)
      endGroup(child.pid)
      resolve({ exitCode, output })
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

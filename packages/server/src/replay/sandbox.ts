// Drafts run before anyone has reviewed them, so they run in a sandbox: no network, no other processes, a read-only view
// of the programs of this machine, a home of their own in memory. Bubblewrap builds it where it is installed; elsewhere
// enter.ts does, in new namespaces. Without either nothing is run.

import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Sandbox {
  readonly kind: 'bubblewrap' | 'namespaces'
  /** Starts a command inside. Its files are removed after it has ended. */
  start(command: readonly string[]): ChildProcess
}

/** Either a sandbox, or why there is none and what to do about it. */
export type FoundSandbox =
  | { readonly sandbox: Sandbox; readonly reason: '' }
  | { readonly sandbox: null; readonly reason: string }

/** What the command can access; enter.ts and the arguments of bubblewrap are two ways to build it. */
export interface View {
  /** Programs and their files, read-only, at the same paths as outside. */
  readonly shown: readonly string[]
  /** Folders below those that are replaced by empty ones. */
  readonly hidden: readonly string[]
  /** Single files, read-only: from outside, to inside. */
  readonly files: readonly (readonly [from: string, to: string])[]
  readonly command: readonly string[]
}

/** The home of the command, empty and in memory. */
export const HOME = '/home/draft'
/** The program that runs drafts, as it is called inside. */
export const CHILD = '/opt/replay-child.mjs'
/** Of each place that can be written. */
export const MEMORY_BYTES = 64 * 1024 * 1024
/** The user that a server which runs as root starts sandboxes as: limits do not apply to root. */
const NOBODY = 65_534
const PROBE_MS = 10_000

/** Only files of /etc without secrets. */
const SHOWN = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'],
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime'],
  ...['/etc/passwd', '/etc/group', '/etc/nsswitch.conf', '/etc/hosts'],
  ...['/etc/ssl/certs', '/etc/ssl/openssl.cnf'],
]

/** Per process, except for the number of processes. */
const LIMITS = ['--cpu=300', '--fsize=104857600', '--data=1073741824', '--nproc=256', '--core=0']

const found = new Map<string, Promise<FoundSandbox>>()

/** Probes the sandboxes by starting Node in them; once in each process for the same folders. */
export function findSandbox(
  hidden: readonly string[],
  kinds: readonly Sandbox['kind'][] = ['bubblewrap', 'namespaces'],
): Promise<FoundSandbox> {
  const key = JSON.stringify([hidden, kinds, process.env.PATH, tmpdir()])
  let probe = found.get(key)
  if (!probe) {
    probe = find(hidden, kinds)
    found.set(key, probe)
  }
  return probe
}

async function find(folders: readonly string[], kinds: readonly Sandbox['kind'][]): Promise<FoundSandbox> {
  if (process.platform !== 'linux') return none('only Linux has one', 'Run the server on Linux.')
  const shown = SHOWN.filter(path => existsSync(path))
  const isInside = (path: string, folder: string) => path === folder || path.startsWith(folder + sep)
  const real = folders.filter(path => existsSync(path)).map(path => realpathSync(path))
  const hidden = [...new Set(real)].filter(path => shown.some(one => isInside(path, realpathSync(one))))
  const node = realpathSync(process.execPath)
  const problems: string[] = []
  for (const kind of kinds) {
    const sandbox = sandboxOf(kind, { shown, hidden, node })
    const problem = await probe(sandbox, [node, '--version'])
    if (problem === '') return { sandbox, reason: '' }
    problems.push(`${kind}: ${problem}`)
  }
  return none(
    problems.join('; '),
    'Install bubblewrap 0.8 or newer, and allow unprivileged user namespaces. Docker blocks them by default: start the container with a seccomp profile that permits them.' +
      (process.getuid?.() === 0
        ? ' A server that runs as root starts drafts as the user nobody, which must be able to read Node: run the server as a user of its own.'
        : '') +
      (hidden.length > 0 ? ` Keep the database and the secret out of ${hidden.join(' and ')}.` : ''),
  )
}

const none = (why: string, fix: string): FoundSandbox => ({
  sandbox: null,
  reason: `Dry runs are off: no sandbox works on this machine (${why}). ${fix} Until then, a second admin can approve a draft without a dry run.`,
})

interface SandboxParts {
  readonly shown: readonly string[]
  readonly hidden: readonly string[]
  readonly node: string
}

function sandboxOf(kind: Sandbox['kind'], { shown, hidden, node }: SandboxParts): Sandbox {
  return {
    kind,
    start(command) {
      const isRoot = process.getuid?.() === 0
      const base = mkdtempSync(join(temporaryFolder(isRoot), 'holdfast-replay-'))
      // Only these two reach the command, as copies: its user may not be able to read where the server is installed.
      for (const name of ['replay-child', 'enter']) copyFileSync(programOf(name), join(base, `${name}.mjs`))
      const root = join(base, 'root')
      mkdirSync(root)
      if (isRoot) {
        for (const path of [base, root]) chownSync(path, NOBODY, NOBODY)
        for (const name of ['replay-child', 'enter']) chmodSync(join(base, `${name}.mjs`), 0o444)
      }
      const view: View = {
        shown,
        hidden,
        files: [
          [node, node],
          [join(base, 'replay-child.mjs'), CHILD],
        ],
        command: ['prlimit', ...LIMITS, '--', ...command],
      }
      const [file, ...args] =
        kind === 'bubblewrap' ? bubblewrapOf(view) : namespacesOf(view, node, join(base, 'enter.mjs'), root)
      const child = spawn(file!, args, {
        cwd: base,
        env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
        ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
      })
      const remove = () => rmSync(base, { recursive: true, force: true })
      child.once('error', remove)
      child.once('close', remove)
      return child
    },
  }
}

/** Of a server that runs as root, one that the user nobody can reach: its own may be for root only. */
function temporaryFolder(isRoot: boolean): string {
  const own = realpathSync(tmpdir())
  if (!isRoot) return own
  const isOpen = (path: string): boolean =>
    existsSync(path) &&
    (statSync(path).mode & 0o001) !== 0 &&
    (path === dirname(path) || isOpen(dirname(path)))
  return [own, '/tmp', '/var/tmp', '/dev/shm'].find(isOpen) ?? own
}

function bubblewrapOf({ shown, hidden, files, command }: View): string[] {
  const memory = (path: string) => ['--size', String(MEMORY_BYTES), '--tmpfs', path]
  return [
    'bwrap',
    // The command gets no user namespace of its own, the most common way to exploit a kernel.
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
    ...['--die-with-parent', '--new-session'],
    ...shown.flatMap(path => ['--ro-bind', path, path]),
    ...hidden.flatMap(path => memory(path)),
    ...files.flatMap(([from, to]) => ['--ro-bind', from, to]),
    ...hidden.flatMap(path => ['--remount-ro', path]),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...[...memory('/dev/shm'), '--remount-ro', '/dev', ...memory('/tmp'), ...memory(HOME)],
    ...['--remount-ro', '/', '--chdir', HOME, '--'],
    ...command,
  ]
}

const UNSHARE = [
  '--user',
  '--map-root-user',
  '--mount',
  '--net',
  '--ipc',
  '--uts',
  '--pid',
  '--fork',
  '--kill-child',
]

const namespacesOf = (view: View, node: string, program: string, root: string): string[] => [
  ...['unshare', ...UNSHARE, '--', node, program, root],
  JSON.stringify({
    ...view,
    // Root in the namespace that made the mounts could undo them, so the command does not run as root there.
    command: ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--', ...view.command],
  } satisfies View),
]

/** Built beside this file; seen from the sources, in the built package. */
const programOf = (name: string): string =>
  fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? `../../dist/${name}.mjs` : `./${name}.mjs`, import.meta.url),
  )

/** Empty if the command works inside. */
async function probe(sandbox: Sandbox, command: readonly string[]): Promise<string> {
  let child: ChildProcess
  try {
    child = sandbox.start(command)
  } catch (error) {
    return (error as Error).message
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_MS)
  let output = ''
  child.stderr!.on('data', chunk => (output = `${output}${chunk}`.slice(0, 300)))
  child.stdin!.on('error', () => {})
  return new Promise(resolve => {
    child.once('error', error => {
      clearTimeout(timer)
      resolve((error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not installed' : error.message)
    })
    child.once('close', code => {
      clearTimeout(timer)
      resolve(code === 0 ? '' : output.trim().replaceAll('\n', ' ') || `ended with ${code ?? 'a signal'}`)
    })
  })
}

/** Folders whose files no draft may read: those of the database and of the secret. */
export const foldersOf = (files: readonly string[]): string[] => [
  ...new Set(files.map(file => dirname(file))),
]

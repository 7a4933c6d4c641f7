// Builds the file system of a dry run where bubblewrap is not installed, and runs the command in it. It is started by
// unshare as root of new namespaces, so its mounts exist for this process and its children only.

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { HOME, MEMORY_BYTES, type View } from './sandbox.js'

const [, , root = '', json = '{}'] = process.argv
const { shown, hidden, files, command } = JSON.parse(json) as View

// Programs for administrators are not on the PATH of every service.
process.env.PATH = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`

const run = (program: string, ...args: string[]) => {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return
  throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`)
}
const inside = (path: string) => join(root, path)
const memory = (path: string, mode = '755') => {
  mkdirSync(path, { recursive: true })
  run('mount', '-t', 'tmpfs', '-o', `size=${MEMORY_BYTES},mode=${mode},nosuid,nodev`, 'none', path)
}

/** Binds a file, folder or link of outside to a path inside. */
function bind(from: string, to = inside(from)): void {
  mkdirSync(dirname(to), { recursive: true })
  const stat = lstatSync(from)
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to)
    return
  }
  if (stat.isDirectory()) mkdirSync(to, { recursive: true })
  else if (!existsSync(to)) writeFileSync(to, '')
  run('mount', stat.isDirectory() ? '--rbind' : '--bind', from, to)
}

/** Mounts below a folder, deepest last, with their options. */
function mountsBelow(folder: string): { path: string; options: string }[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map(line => line.split(' '))
    .filter(fields => fields.length > 5)
    .map(([, , , , path = '', options = '']) => ({
      path: path.replace(/\\([0-7]{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
      options,
    }))
    .filter(({ path }) => path === folder || path.startsWith(`${folder}/`))
}

// Flags that the outer namespace has set, such as nosuid, must be repeated, or the kernel refuses.
const lock = ({ path, options }: { path: string; options: string }) =>
  run('mount', '-o', `remount,bind,${options.replace(/^rw/, 'ro')}`, path)

run('mount', '--make-rprivate', '/')
memory(root)
for (const path of shown) bind(path)
for (const path of hidden) memory(inside(path))
for (const [from, to] of files) bind(from, inside(to))
for (const one of mountsBelow(root)) if (one.path !== root) lock(one)

mkdirSync(inside('/proc'))
run('mount', '-t', 'proc', '-o', 'nosuid,nodev,noexec', 'proc', inside('/proc'))
for (const name of ['sys', 'sysrq-trigger', 'irq', 'bus', 'fs']) {
  const path = inside(`/proc/${name}`)
  if (!existsSync(path)) continue
  run('mount', '--bind', path, path)
  run('mount', '-o', 'remount,bind,ro,nosuid,nodev,noexec', path)
}
mkdirSync(inside('/dev'))
for (const name of ['null', 'zero', 'full', 'random', 'urandom']) bind(`/dev/${name}`)
for (const [index, name] of ['stdin', 'stdout', 'stderr'].entries())
  symlinkSync(`/proc/self/fd/${index}`, inside(`/dev/${name}`))
symlinkSync('/proc/self/fd', inside('/dev/fd'))
memory(inside('/dev/shm'), '1777')
memory(inside('/tmp'), '1777')
memory(inside(HOME))
mkdirSync(inside('/outside'))

// As bubblewrap does with --disable-userns: there is no namespace in which the command could be root.
writeFileSync('/proc/sys/user/max_user_namespaces', '0')
process.chdir(root)
run('pivot_root', '.', 'outside')
process.chdir('/')
run('umount', '-l', '/outside')
rmdirSync('/outside')
run('mount', '-o', 'remount,bind,ro,nosuid,nodev', '/')

const [program = '', ...args] = command
const { status } = spawnSync(program, args, {
  cwd: HOME,
  stdio: 'inherit',
})
process.exit(status ?? 1)

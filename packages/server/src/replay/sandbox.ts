// A draft is run on the server before anybody has agreed to it, so it runs where it can do no harm: without network,
// without sight of other processes, and in a file system of its own that holds the programs of this machine, not to be
// changed, and nothing else. Linux has what that takes; elsewhere only who may publish anyway may try a draft here.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Inside {
  /** An empty folder, where the other file system is made. */
  readonly root: string
  /** A copy of it stands at the same place inside, and what is written there is gone with it. */
  readonly home: string
  /** Files that the command needs beside the programs of the machine. */
  readonly files: readonly string[]
}

export interface Sandbox {
  /** The command line that runs another one inside. */
  inside(command: readonly string[], given: Inside): readonly string[]
}

const UNSHARE = [
  'unshare',
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

/** Programs and what they need to run. Of /etc only what holds no secret. */
const SHOWN = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix'],
  ...['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/localtime'],
  ...[
    '/etc/passwd',
    '/etc/group',
    '/etc/nsswitch.conf',
    '/etc/hosts',
    '/etc/ssl/certs',
    '/etc/ssl/openssl.cnf',
  ],
]

/**
 * Arguments: the root, the home, what is shown, "--", what is covered, "--", the command. The second unshare at the end is
 * what keeps the walls up: whoever is root in the namespace that built them could take them down again.
 */
const BUILD = `set -e
root=$1 home=$2; shift 2
mount -t tmpfs -o size=128m,mode=755 none "$root"
cd "$root"
mkdir -m 1777 tmp
show() {
  if [ ! -e "$1" ] || [ -e ".$1" ]; then return 0; fi
  mkdir -p ".\${1%/*}"
  if [ -L "$1" ]; then ln -s "$(readlink "$1")" ".$1"
  elif [ -d "$1" ]; then mkdir ".$1"; mount --rbind "$1" ".$1"
  else : > ".$1"; mount --bind "$1" ".$1"
  fi
}
while [ "$1" != -- ]; do show "$1"; shift; done; shift
while [ "$1" != -- ]; do if [ -d ".$1" ]; then mount -t tmpfs -o size=1m none ".$1"; fi; shift; done; shift
while read -r _ _ _ _ point options _; do
  point=$(printf '%b' "$point")
  case $point in "$root"/*) mount -o "remount,bind,ro\${options#r?}" "$point" ;; esac
done < /proc/self/mountinfo
mkdir -p proc dev/shm old ".$home"
mount -t proc proc proc
for name in sys sysrq-trigger irq bus fs; do
  if [ -e "proc/$name" ]; then mount --bind "proc/$name" "proc/$name"; mount -o remount,bind,ro "proc/$name"; fi
done
for name in null zero full random urandom; do : > "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin; ln -s /proc/self/fd/1 dev/stdout; ln -s /proc/self/fd/2 dev/stderr
cp -R "$home/." ".$home"
pivot_root . old
cd /
umount -l /old
rmdir /old
cd "$home"
exec prlimit --cpu=300 --fsize=104857600 --data=1073741824 --nproc=512 --core=0 \\
  unshare --user --map-root-user --mount -- "$@"`

/** Null on a machine that cannot build one. */
export async function findSandbox(covered: readonly string[]): Promise<Sandbox | null> {
  if (process.platform !== 'linux') return null
  const inside = (command: readonly string[], { root, home, files }: Inside) => [
    ...UNSHARE,
    ...['sh', '-c', BUILD, 'sh', root, home],
    ...[...SHOWN, ...files, '--', ...covered, '--'],
    ...command,
  ]
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-sandbox-'))
  try {
    const given = { root: join(base, 'root'), home: join(base, 'home'), files: [] }
    for (const folder of [given.root, given.home]) mkdirSync(folder)
    const [file, ...args] = inside(['true'], given)
    const child = spawn(file!, args, { stdio: 'ignore', timeout: 10_000 })
    const isBuilt = await new Promise<boolean>(resolve => {
      child.once('error', () => resolve(false))
      child.once('exit', code => resolve(code === 0))
    })
    return isBuilt ? { inside } : null
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

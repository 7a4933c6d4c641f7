// A draft is run on the server before anybody has agreed to it, so it runs where it can do no harm: without network,
// without sight of other processes, and with the server's own folders covered. Linux has what that takes; elsewhere
// only who may publish anyway may try a draft here.

import { spawnSync } from 'node:child_process'

export interface Sandbox {
  /** The command line that runs another one inside. */
  inside(command: readonly string[]): readonly string[]
}

const UNSHARE = [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  '--net',
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
]
/** Covers the folders named up to "--", bounds time and file size, then becomes the rest. */
const COVER =
  'while [ "$1" != -- ]; do mount -t tmpfs -o size=1m none "$1" || exit 97; shift; done; shift; ulimit -t 300 -f 204800; exec "$@"'

/** Null where there is none. */
export function findSandbox(covered: readonly string[]): Sandbox | null {
  if (process.platform !== 'linux') return null
  const inside = (command: readonly string[]) => [
    ...UNSHARE,
    'sh',
    '-c',
    COVER,
    'sh',
    ...covered,
    '--',
    ...command,
  ]
  const [file, ...args] = inside(['true'])
  const { status } = spawnSync(file!, args, { stdio: 'ignore', timeout: 10_000 })
  return status === 0 ? { inside } : null
}

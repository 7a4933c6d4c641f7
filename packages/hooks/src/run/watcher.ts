// A small process that outlives the host for a moment. A host that is killed runs no exit handler, so its hooks would
// go on without a limit. The watcher reads the ids of running process groups from a pipe; the pipe closes when the
// host dies, however it dies, and the watcher then kills the groups that are left.
//
// Out of reach: a child of a hook that moved to a group of its own (setsid), and Windows.

import type { ChildProcess } from 'node:child_process'

/** Only builtins: it starts within a millisecond. Signals meant for the host must not end it before its work. */
const SCRIPT = `trap '' HUP INT TERM
groups=" $* "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -9 "-$group" 2>/dev/null; done`

/** A watcher that ends is replaced, but a machine on which none lives gets no endless series of them. */
const MOST_STARTS = 3

/** A host that is killed earlier leaves its first hooks without a limit. A shell script has ended by then. */
const START_MS = 20

const REMOVE_MS = 100

export interface Watcher {
  add(group: number): void
  /** Is sent with the next group, or a little later: no verdict waits for it, and the watcher wakes up less often. */
  remove(group: number): void
  /** For the end of the process, when no timer fires any more. */
  flush(): void
}

/** Starts when the first group has run for a moment. Where it cannot be started, only the exit handler of the host ends hooks. */
export function openWatcher(running: ReadonlySet<number>): Watcher {
  let child: ChildProcess | undefined
  let isStarting = false
  let starts = process.platform === 'win32' ? MOST_STARTS : 0
  let removed = ''

  const start = async () => {
    const { spawn } = await import('node:child_process')
    // The first groups are arguments: they are known even if the host dies right after this.
    child = spawn('/bin/sh', ['-c', SCRIPT, 'holdfast-watcher', ...[...running].map(String)], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
      // Its own session: a signal to the group of the host, such as Ctrl-C, does not reach it.
      detached: true,
    })
    isStarting = false
    child.stdin!.on('error', () => {})
    child.once('error', () => {
      starts = MOST_STARTS
      child = undefined
    })
    child.once('exit', () => {
      child = undefined
      if (running.size > 0) startSoon()
    })
    // Neither keeps the host alive.
    child.unref()
    ;(child.stdin as unknown as { unref(): void }).unref()
  }
  /** Most hooks end before it is worth a process. */
  const startSoon = () => {
    if (isStarting || starts >= MOST_STARTS) return
    isStarting = true
    setTimeout(() => {
      isStarting = running.size > 0
      if (isStarting && starts++ < MOST_STARTS) void start().catch(() => {})
    }, START_MS).unref()
  }
  const send = (added: string) => {
    const text = removed + added
    removed = ''
    if (text !== '') child?.stdin?.write(text)
  }
  const flush = () => send('')

  return {
    add(group) {
      if (child) send(`+ ${group}\n`)
      else startSoon()
    },
    remove(group) {
      if (removed === '') setTimeout(flush, REMOVE_MS).unref()
      removed += `- ${group}\n`
    },
    flush,
  }
}

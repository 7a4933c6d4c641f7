// A small process that outlives the host for a moment. A host that is killed runs no exit handler, so its hooks would
// go on without a limit. The host keeps the ids of running process groups in a file without a name. The watcher waits at a
// pipe, which closes when the host dies, however it dies; it then kills the groups that are in the file.
//
// Out of reach: a child of a hook that moved to a group of its own (setsid), Windows, and a machine with no folder where
// the file could be.

import { writeSync } from 'node:fs'
import { openNameless } from './nameless-file.js'

/** Only builtins: it starts within a millisecond. Signals meant for the host must not end it before its work. */
const SCRIPT = `trap '' HUP INT TERM
read -r _
while read -r group; do [ "$group" ] && kill -9 "-$group"; done <&3 2>/dev/null`

/** A watcher that ends is replaced, but a machine on which none lives gets no endless series of them. */
const MOST_STARTS = 3

/** A host that is killed earlier leaves its first hooks without a limit. A shell script has ended by then. */
const START_MS = 20

/** Of one id and a line end. Slots do not cross pages, so a host that is killed leaves no slot half written. */
const SLOT_BYTES = 16
const BLANK = `${' '.repeat(SLOT_BYTES - 1)}\n`
/** Written in advance, so that there is room for their ids even if the disk is full by then. */
const FIRST_SLOTS = 1024

export interface Watcher {
  add(group: number): void
  remove(group: number): void
}

/** Starts when the first group has run for a moment. Where it cannot be started, only the exit handler of the host ends hooks. */
export function openWatcher(): Watcher {
  const slots = new Map<number, number>()
  const free: number[] = []
  const file =
    process.platform === 'win32' ? undefined : openNameless(BLANK.repeat(FIRST_SLOTS), process.platform)
  let isRunning = false
  let starts = 0

  const start = async () => {
    const { spawn } = await import('node:child_process')
    const child = spawn('/bin/sh', ['-c', SCRIPT, 'holdfast-watcher'], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore', file],
      // Its own session: a signal to the group of the host, such as Ctrl-C, does not reach it.
      detached: true,
    })
    child.stdin!.on('error', () => {})
    child.once('error', () => {
      starts = MOST_STARTS
    })
    child.once('exit', () => {
      isRunning = false
      if (slots.size > 0) startSoon()
    })
    // Neither keeps the host alive.
    child.unref()
    ;(child.stdin as unknown as { unref(): void }).unref()
  }
  /** Most hooks end before it is worth a process. */
  const startSoon = () => {
    if (file === undefined || isRunning || starts >= MOST_STARTS) return
    isRunning = true
    setTimeout(() => {
      isRunning = slots.size > 0
      if (isRunning && starts++ < MOST_STARTS) void start().catch(() => {})
    }, START_MS).unref()
  }
  const write = (slot: number, text: string) => {
    if (file === undefined) return
    try {
      writeSync(file, `${text.padEnd(SLOT_BYTES - 1)}\n`, slot * SLOT_BYTES)
    } catch {
      // No room for so many: the exit handler still ends this group.
    }
  }

  return {
    add(group) {
      if (slots.has(group)) return
      const slot = free.pop() ?? slots.size
      slots.set(group, slot)
      write(slot, String(group))
      startSoon()
    },
    remove(group) {
      const slot = slots.get(group)
      if (slot === undefined) return
      slots.delete(group)
      free.push(slot)
      write(slot, '')
    },
  }
}

// A small process that outlives the host for a moment. A host that is killed runs no exit handler, so its hooks would
// go on without a limit. The host keeps the ids of running process groups in a file without a name. The watcher waits at a
// pipe, which closes when the host dies, however it dies; it then kills the groups that are in the file.
//
// Out of reach: a child of a hook that moved to a group of its own (setsid), Windows, and a machine with no folder where
// the file could be.

import type { ChildProcess } from 'node:child_process'
import { writeSync } from 'node:fs'
import { children } from './children.js'
import { openNameless } from './nameless-file.js'

/** Only builtins: it starts within a millisecond. Signals meant for the host must not end it before its work. */
const SCRIPT = `trap '' HUP INT TERM
read -r _
while read -r group && [ "$group" != end ]; do [ "$group" ] && kill -9 "-$group"; done <&3 2>/dev/null`

/** A watcher that ends is replaced, but only a limited number of times. */
const MOST_STARTS = 3

/** Of one id and a line end. Slots do not cross pages, so a host that is killed leaves no slot half written. */
const SLOT_BYTES = 16
const BLANK = `${' '.repeat(SLOT_BYTES - 1)}\n`
/** After the last slot in use: the shell reads byte by byte, and reading all slots takes milliseconds. */
const END = 'end'
/** Written in advance, so that there is room for their ids even if the disk is full by then. */
const FIRST_SLOTS = 1024

export interface Watcher {
  add(group: number): void
  remove(group: number): void
}

/** Without memory or descriptors it has no pipe, or does not start. The next group tries again. */
function spawnWatcher(file: number): ChildProcess | undefined {
  try {
    const child = children().spawn('/bin/sh', ['-c', SCRIPT, 'holdfast-watcher'], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore', file],
      // Its own session: a signal to the group of the host, such as Ctrl-C, does not reach it.
      detached: true,
    })
    child.once('error', () => {})
    return child
  } catch {
    return undefined
  }
}

/**
 * Starts right after the first group, which is starting meanwhile. Where it cannot be started, only the exit handler of
 * the host ends hooks.
 */
export function openWatcher(): Watcher {
  const slots = new Map<number, number>()
  const free: number[] = []
  /** Free slots that still hold the id of a group that has ended. */
  const stale = new Set<number>()
  const file =
    process.platform === 'win32'
      ? undefined
      : openNameless(`${END.padEnd(SLOT_BYTES - 1)}\n${BLANK.repeat(FIRST_SLOTS)}`, process.platform)
  let used = 0
  let isRunning = false
  let starts = 0

  const start = () => {
    if (file === undefined || isRunning || starts >= MOST_STARTS) return
    starts++
    const child = spawnWatcher(file)
    if (!child?.stdin) return
    isRunning = true
    child.stdin.on('error', () => {})
    child.once('exit', () => {
      isRunning = false
      if (slots.size > 0) start()
    })
    // Neither keeps the host alive.
    child.unref()
    // Bun has no such function; there the stream does not keep the process alive.
    ;(child.stdin as unknown as { unref?(): void }).unref?.()
  }
  const write = (slot: number, text: string) => {
    if (file === undefined) return
    try {
      writeSync(file, `${text.padEnd(SLOT_BYTES - 1)}\n`, slot * SLOT_BYTES)
    } catch {
      // No space for further ids: the exit handler still ends this group.
    }
  }

  const clearStale = () => {
    for (const slot of stale) write(slot, '')
    stale.clear()
  }
  return {
    add(group) {
      if (slots.has(group)) return
      const slot = free.pop() ?? slots.size
      slots.set(group, slot)
      stale.delete(slot)
      if (slot === used) write(++used, END)
      write(slot, String(group))
      start()
    },
    remove(group) {
      const slot = slots.get(group)
      if (slot === undefined) return
      slots.delete(group)
      free.push(slot)
      // The verdict does not wait for this, and the next group may take the slot first.
      if (stale.size === 0) setImmediate(clearStale)
      stale.add(slot)
    },
  }
}

// The payload as a stdin that any hook can read. Node's own pipe is a socket, which a hook cannot open as
// /dev/stdin; a file without a name can be opened, cannot break, and is as fast. Hooks of different sources never
// share a file: a hook that writes to its own stdin must not change the input of a higher source.

import { closeSync, constants, openSync } from 'node:fs'
import { type AnyFields, payloadText } from '../protocol/payload.js'
import { openNameless } from './nameless-file.js'

export interface Input {
  /** The payload, for a pipe. */
  readonly text: string
  /** A descriptor at the start of the payload, owned by the caller; undefined if only a pipe works. */
  open(rank: number): number | undefined
  close(): void
}

export function openInput(payload: AnyFields, platform: NodeJS.Platform): Input {
  const text = payloadText(payload)
  const files = new Map<number, number>()
  return {
    text,
    open(rank) {
      if (platform === 'win32') return undefined
      const shared = files.get(rank)
      if (shared !== undefined) return reopen(shared) ?? openNameless(text, platform)
      const fd = openNameless(text, platform)
      // Large payloads are not copied; a small one is written as fast as a file is opened again.
      if (fd !== undefined && platform === 'linux' && text.length > SHARE_FROM) {
        files.set(rank, fd)
        return reopen(fd) ?? openNameless(text, platform)
      }
      return fd
    },
    close() {
      for (const fd of files.values()) closeSync(fd)
      files.clear()
    },
  }
}

const SHARE_FROM = 256 * 1024

function reopen(fd: number): number | undefined {
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_RDONLY)
  } catch {
    return undefined
  }
}

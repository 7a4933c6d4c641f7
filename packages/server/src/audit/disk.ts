// The disk of a database in a file. Before it is full, records of devices are rejected and wait on the devices. The
// rest is for publishing, revoking and signing in. If other programs use it up too, deleting a reserve file frees space
// once.

import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Store } from '../store/open.js'
import type { Log } from '../team.js'

export interface Disk {
  /** While true, no records are accepted. */
  isFull(): boolean
  stop(): void
}

const MIB = 1024 * 1024
/** Free space that records never take: a tenth of the disk, within these limits. */
const KEPT = { least: 12 * MIB, most: 512 * MIB }
const RESERVE_BYTES = 8 * MIB
/** With less than this, a transaction may fail. */
const NEEDED_BYTES = 6 * MIB
const EVERY_MS = 1000

export function watchDisk({ kind, database }: Pick<Store, 'kind' | 'database'>, log: Log): Disk {
  if (kind !== 'sqlite' || database === ':memory:') return { isFull: () => false, stop() {} }
  const reserve = `${resolve(database)}.reserve`
  let isFull = false
  const look = () => {
    const { free, kept } = spaceAround(database)
    if (free < NEEDED_BYTES && existsSync(reserve)) rmSync(reserve, { force: true })
    // Twice the limit before records are accepted again, so that the state does not flicker.
    const isNowFull = free < (isFull ? kept * 2 : kept)
    if (isNowFull !== isFull) {
      isFull = isNowFull
      if (isFull) log.error('the disk is nearly full: no records are accepted', { free, database })
      else log.info('the disk has space again: records are accepted', { free, database })
    }
    if (!isFull && free > kept + RESERVE_BYTES && !existsSync(reserve)) {
      writeFileSync(reserve, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 })
    }
  }
  const lookSafely = () => {
    try {
      look()
    } catch (error) {
      log.warn('the free space of the disk is not known', { error: (error as Error).message })
    }
  }
  lookSafely()
  const timer = setInterval(lookSafely, EVERY_MS).unref()
  return {
    // Checked for each batch: within a second, devices can send more than the free space.
    isFull() {
      lookSafely()
      return isFull
    },
    stop() {
      clearInterval(timer)
      rmSync(reserve, { force: true })
    },
  }
}

function spaceAround(file: string): { free: number; kept: number } {
  const { bavail, blocks, bsize } = statfsSync(dirname(resolve(file)))
  const kept = Math.min(KEPT.most, Math.max(KEPT.least, (blocks * bsize) / 10))
  return { free: bavail * bsize, kept }
}

// The id of this machine: random, created once, the same for every team.

import { linkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { jsonBytes, managedFolder, readJson } from '@holdfast/hooks/team'
import type { Around } from './around.js'
import { type Disk, UNFINISHED } from './disk.js'

export const DEVICE_ID = /^[0-9a-f]{32}$/

/** Another device has the old id. Another process that noticed has created a new one already. */
export function newDeviceId(around: Pick<Around, 'home' | 'unique'>, disk: Disk, old: string): string {
  const there = deviceIdOf(around, disk)
  if (there !== old) return there
  const made = makeId(around)
  disk.replace(join(managedFolder(around.home), 'device.json'), jsonBytes({ device_id: made }), 0o600)
  return made
}

const makeId = ({ unique }: Pick<Around, 'unique'>): string => unique().replaceAll('-', '').toLowerCase()

export function deviceIdOf(around: Pick<Around, 'home' | 'unique'>, disk: Disk): string {
  const managed = managedFolder(around.home)
  const file = join(managed, 'device.json')
  const there = readJson(file)?.device_id
  if (typeof there === 'string' && DEVICE_ID.test(there)) return there
  disk.folder(managed)
  const made = makeId(around)
  const content = jsonBytes({ device_id: made })
  if (there !== undefined) {
    disk.replace(file, content, 0o600)
    return made
  }
  // If two processes create one at the same time, the first wins.
  const half = join(managed, `${UNFINISHED}${around.unique()}`)
  disk.create(half, content, 0o600)
  try {
    linkSync(half, file)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const other = isThere ? readJson(file)?.device_id : undefined
    if (typeof other === 'string' && DEVICE_ID.test(other)) return other
    disk.replace(file, content, 0o600)
  } finally {
    rmSync(half, { force: true })
  }
  return made
}

// Names of the devices, owners and hooks that records refer to.

import { keyOf } from '../records/read-record.js'
import { type DeviceName, deviceNames } from '../store/devices.js'
import { hookNamesById } from '../store/hooks.js'
import type { Db } from '../store/open.js'

export interface Names {
  readonly devices: Map<string, DeviceName>
  /** By the key of the hook, as records hold it. */
  readonly hooks: Map<string, string>
}

export const noNames = (): Names => ({ devices: new Map(), hooks: new Map() })

interface Named {
  readonly device_id: string
  readonly hook: string
}

/** Adds the names of these rows; those that are known already are not read again. */
export async function addNames(db: Db, names: Names, rows: readonly Named[]): Promise<Names> {
  const ids = [...new Set(rows.map(({ device_id }) => device_id))].filter(id => !names.devices.has(id))
  const keys = [...new Set(rows.map(({ hook }) => hook))].filter(key => !names.hooks.has(key))
  const [devices, hooks] = await Promise.all([deviceNames(db, ids), hookNames(db, keys)])
  for (const id of ids) names.devices.set(id, devices.get(id) ?? { name: '', owner: '' })
  for (const key of keys) names.hooks.set(key, hooks.get(key) ?? key)
  return names
}

const KEY = /^#([1-9]\d{0,9})$/

/** Names of those keys that are hooks of the team. */
export async function hookNames(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const ids = keys.flatMap(key => KEY.exec(key)?.[1] ?? []).map(Number)
  const names = await hookNamesById(db, ids)
  return new Map([...names].map(([id, name]) => [keyOf(id), name]))
}

// Names of devices with their owners, and of hooks.

import type { Db } from './open.js'

export interface DeviceName {
  readonly name: string
  readonly owner: string
}

export async function ownedDevices(db: Db, ids: readonly string[]): Promise<Map<string, DeviceName>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('devices').select(['id', 'name', 'owner']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, ...device }) => [id, device]))
}

export async function hookNamesById(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('hooks').select(['id', 'name']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

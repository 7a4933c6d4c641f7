// The team's devices: lists, groups, owners, revocation.

import type { Person } from '../access/actor.js'
import { withSecondPerson } from '../approval/four-eyes.js'
import { append } from '../audit/chain.js'
import { RequestError } from '../request-error.js'
import type { Rules } from '../store/device-states.js'
import { type FoundDevices, findDevice, judgedDevice, markRevoked, updateDevice } from '../store/devices.js'
import type { Tx } from '../store/open.js'
import { pinsOf } from '../store/pins.js'
import { revokeTokensOf } from '../store/tokens.js'
import type { Team } from '../team.js'
import { toLine } from './words.js'

export async function deviceOf({ store }: Team, rules: Rules, id: string): Promise<FoundDevices> {
  const row = await judgedDevice(store.db, await rules(), id)
  if (row) return row
  throw new RequestError('missing', 'There is no device with this id.')
}

export async function setGroup(team: Team, actor: Person, id: string, text: string): Promise<void> {
  const group = toLine('The group', text, { longest: 60, empty: true })
  const move = async (tx: Tx, by: object = {}) => {
    const device = await findDevice(tx, id)
    if (!device) throw new RequestError('missing', 'There is no device with this id.')
    await updateDevice(tx, id, { group })
    const detail = { name: device.name, from: device.group, to: group, ...by }
    await append(tx, actor, team.now(), { action: 'device.group', subject: id, detail })
  }
  // Moving into or out of a group with a pin changes the release of the device.
  const before = await findDevice(team.store.db, id)
  const isPinned = (await pinsOf(team.store.db, 'group', [group, before?.group ?? ''])).length > 0
  const change = {
    method: 'DevicesService/SetDeviceGroup',
    subject: `device ${id}`,
    wish: { group },
    call: { id, group },
  }
  if (isPinned) await withSecondPerson(team, actor, change, move)
  else await team.store.write(tx => move(tx))
  team.hub.changed('devices')
  // A pin of its group may change its release.
  team.hub.changed('tokens', id)
}

/** The owner is only a name for people and filters; it gives no rights. */
export async function setOwner(team: Team, actor: Person, id: string, text: string): Promise<void> {
  const owner = toLine('The owner', text, { longest: 200, empty: true })
  await team.store.write(async tx => {
    const device = await findDevice(tx, id)
    if (!device) throw new RequestError('missing', 'There is no device with this id.')
    await updateDevice(tx, id, { owner })
    const detail = { name: device.name, from: device.owner, to: owner }
    await append(tx, actor, team.now(), { action: 'device.owner', subject: id, detail })
  })
  team.hub.changed('devices')
}

export async function revokeDevice(team: Team, actor: Person, id: string, text: string): Promise<void> {
  const reason = toLine('The reason', text, { longest: 500, empty: true })
  await team.store.write(async tx => {
    const device = await markRevoked(tx, id, team.now())
    if (!device)
      throw new RequestError('missing', 'There is no device with this id, or it was revoked already.')
    await revokeTokensOf(tx, 'device', id, team.now())
    const detail = { name: device.name, reason }
    await append(tx, actor, team.now(), { action: 'device.revoke', subject: id, detail })
  })
  team.hub.changed('tokens', id)
  team.hub.changed('devices')
}

// The packages for teams, loaded by their commands only, so that firing a hook does not wait for them.

import type * as Server from '@holdfast/server'
import type * as Team from '@holdfast/team'
import type * as Caller from '@holdfast/team/caller'
import type * as Device from '@holdfast/team/device'
import manifest from '../../package.json' with { type: 'json' }
import type { Given } from '../arguments.js'
import { ownDoor } from '../model.js'
import { loadOptional } from '../optional.js'
import { workspaceOf } from '../workspace.js'

const door = (name: string): Promise<unknown> => ownDoor()!(name)

export const openTeamDoor = () => door('@holdfast/team') as Promise<typeof Team>
export const openCallerDoor = () => door('@holdfast/team/caller') as Promise<typeof Caller>
export const openDeviceDoor = () => door('@holdfast/team/device') as Promise<typeof Device>

/** It contains database drivers, so it is installed only where a server runs. */
export const openServerDoor = (): Promise<typeof Server> =>
  loadOptional(() => door('@holdfast/server') as Promise<typeof Server>, 'holdfast serve', [
    '@holdfast/server',
  ])

export async function deviceOf(given: Given) {
  const device = await openDeviceDoor()
  const { home, screen } = workspaceOf(given)
  return { device, screen, home, around: device.aroundOf({ home, clientVersion: manifest.version }) }
}

export const version: string = manifest.version

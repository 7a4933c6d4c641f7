// The team's packages, loaded when a command of theirs is called: nobody who fires a hook waits for them.

import type * as Server from '@holdfast/server'
import type * as Team from '@holdfast/team'
import type * as Caller from '@holdfast/team/caller'
import type * as Device from '@holdfast/team/device'
import manifest from '../../package.json' with { type: 'json' }
import { ownDoor } from '../model.js'
import { loadOptional } from '../optional.js'
import type { Given } from '../options.js'
import { workspaceOf } from '../workspace.js'

const door = (name: string): Promise<unknown> => ownDoor()!(name)

export const openTeamDoor = () => door('@holdfast/team') as Promise<typeof Team>
export const openCallerDoor = () => door('@holdfast/team/caller') as Promise<typeof Caller>
export const openDeviceDoor = () => door('@holdfast/team/device') as Promise<typeof Device>

/** It brings databases along, so it is installed only where a server runs. */
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

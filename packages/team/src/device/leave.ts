// Leaves the team: the only way to remove hooks without a signed order of the server.

import { join } from 'node:path'
import { folderProblem, listFolder, lock, type Place, placeOf } from '@holdfast/hooks/team'
import { DeviceService } from '../gen/holdfast/team/v1/device_pb.js'
import type { Around } from './around.js'
import { type Disk, openDisk } from './disk.js'
import { findEnrolment } from './enrolment.js'
import { type Problem, problemAt, reasonOf } from './problems.js'
import { countQueued } from './queue.js'
import { CallError, call } from './rpc.js'

export interface LeaveResult {
  readonly left: boolean
  /** Records that were never sent and are deleted. */
  readonly unsent: number
  /** Why the server was not notified, or why leaving failed. */
  readonly problem?: Problem
}

const LEFT = '.left-'

export async function leave(around: Around, teamId: string): Promise<LeaveResult> {
  const place = placeOf(around.home, teamId)
  const disk = openDisk({ ...around, random: around.unique })
  dropRemains(place, disk)
  const enrolment = findEnrolment(around.home, teamId)
  const no = (problem: Problem): LeaveResult => ({ left: false, unsent: 0, problem })
  const inTheWay = folderProblem(place, [place.managed])
  if (inTheWay) return no(problemAt(around, 'tampered', inTheWay))
  if (!enrolment)
    return no(problemAt(around, 'enrolment', `This machine does not belong to the team ${teamId}.`))
  try {
    disk.folder(place.folder)
    const held = await lock(place.lock, around, 10_000)
    if (!held) return no(problemAt(around, 'busy', 'Another process is synchronising.'))
    try {
      const unsent = countQueued(place.queue)
      const untold = await call(around, enrolment, DeviceService.method.leave, {}).catch((error: unknown) =>
        problemAt(around, error instanceof CallError ? error.code : 'server', reasonOf(error)),
      )
      disk.remove(place.enrolled)
      // In one step, so that no process finds half a team.
      disk.move(place.folder, join(place.managed, `${LEFT}${around.unique()}`))
      dropRemains(place, disk)
      return { left: true, unsent, ...('code' in untold && { problem: untold }) }
    } finally {
      held.release()
    }
  } catch (error) {
    return no(problemAt(around, 'disk', reasonOf(error)))
  }
}

/** Also for an earlier, interrupted leave. */
function dropRemains({ managed }: Place, disk: Disk): void {
  for (const name of listFolder(managed)) if (name.startsWith(LEFT)) disk.remove(join(managed, name))
}

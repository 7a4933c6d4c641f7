// The enrolments of this machine. Each is kept twice: in the folder of the team, and beside it. The engine notices by the
// copy that the folder was removed, and a sync restores the enrolment from it.

import {
  type Enrolment,
  isTeamId,
  jsonBytes,
  listFolder,
  loadEnrolment,
  managedFolder,
  type Place,
  placeOf,
  readPlain,
} from '@holdfast/hooks/team'
import type { Disk } from './disk.js'

/** From the folder of the team, or else from the copy. */
export function findEnrolment(home: string, teamId: string): Enrolment | undefined {
  const place = placeOf(home, teamId)
  const copy = loadEnrolment({ enrolment: place.enrolled })
  return loadEnrolment(place) ?? (copy?.team_id === teamId ? copy : undefined)
}

export function saveEnrolment(place: Place, disk: Disk, value: Enrolment): void {
  for (const file of [place.enrolment, place.enrolled]) {
    const bytes = jsonBytes(value)
    if (!readPlain(file, bytes.length)?.equals(bytes)) disk.replace(file, bytes, 0o600)
  }
}

/** The teams that this machine belongs to. */
export const enrolledTeams = (home: string): string[] => {
  const ids = listFolder(managedFolder(home)).flatMap(
    name => /^(?:team|enrolled)_(.+)$/.exec(name)?.[1] ?? [],
  )
  return [...new Set(ids)].filter(id => isTeamId(id) && findEnrolment(home, id) !== undefined).sort()
}

// The enrolments of this machine: saving one, and listing the teams.

import {
  type Enrolment,
  isTeamId,
  jsonBytes,
  listFolder,
  loadEnrolment,
  managedFolder,
  type Place,
  placeOf,
} from '@holdfast/hooks/team'
import type { Disk } from './disk.js'

export function saveEnrolment(place: Place, disk: Disk, value: Enrolment): void {
  disk.replace(place.enrolment, jsonBytes(value), 0o600)
}

/** The teams that this machine belongs to. */
export const enrolledTeams = (home: string): string[] =>
  listFolder(managedFolder(home))
    .flatMap(name => /^team_(.+)$/.exec(name)?.[1] ?? [])
    .filter(id => isTeamId(id) && loadEnrolment(placeOf(home, id)) !== undefined)
    .sort()

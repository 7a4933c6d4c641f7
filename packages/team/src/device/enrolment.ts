// The enrolments of this machine: saving one, and listing the teams.

import { existsSync } from 'node:fs'
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
  markEnrolled(place, disk)
}

/** The engine then notices if the folder of the team is removed. */
export function markEnrolled({ enrolled }: Place, disk: Disk): void {
  if (!existsSync(enrolled)) disk.replace(enrolled, Buffer.alloc(0), 0o600)
}

/** The teams that this machine belongs to. */
export const enrolledTeams = (home: string): string[] =>
  listFolder(managedFolder(home))
    .flatMap(name => /^team_(.+)$/.exec(name)?.[1] ?? [])
    .filter(id => isTeamId(id) && loadEnrolment(placeOf(home, id)) !== undefined)
    .sort()

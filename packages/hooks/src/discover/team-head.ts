// The head of a manifest: its team, its release, and the folder of records to send. None of it decides whether a hook
// runs, so a mistake here is reported and ignored, and the hooks stay.

import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Team } from '../protocol/config.js'
import { isInside } from './hook.js'
import { describe, type Json, type Member, quote } from './json.js'
import type { Report } from './report.js'

/** The managed folder as it is called, and what it leads to. */
export interface Place {
  readonly shown: string
  readonly folder: string
}

export function readHead(
  members: ReadonlyMap<string, Member>,
  place: Place,
  report: Report,
): Omit<Team, 'isVerified'> {
  const at = (key: string): Json | undefined => members.get(key)?.value
  const bad = (key: string, node: Json, expected: string): undefined => {
    const message = `${quote(key)} is ${describe(node)}; expected ${expected}. It is not used.`
    report.error('config/manifest', { place: node.place, path: key, message })
    return undefined
  }
  const id = idOf(at('team'), place, bad)
  const release = at('release')
  const number = wholeNumber(release)
  if (release && number === undefined) bad('release', release, 'a whole number')
  const queue = queueOf(at('queue'), place, bad)
  return {
    ...(id === undefined ? {} : { id }),
    ...(number === undefined ? {} : { release: number }),
    records: recordsOf(at('records'), bad),
    ...(queue === undefined ? {} : { queue }),
  }
}

type Bad = (key: string, node: Json, expected: string) => undefined

export const wholeNumber = (node: Json | undefined): number | undefined => {
  const value = node?.kind === 'value' ? node.value : undefined
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

function idOf(node: Json | undefined, { shown }: Place, bad: Bad): string | undefined {
  if (!node) return undefined
  const id = String(node.kind === 'value' ? node.value : '')
  const own = basename(dirname(shown)).replace(/^team_/, '')
  return id === own ? id : bad('team', node, `${quote(own)}, as the folder says`)
}

function recordsOf(node: Json | undefined, bad: Bad): Team['records'] {
  const value = node?.kind === 'value' ? node.value : undefined
  if (value === 'all' || value === 'managed') return value
  if (node) bad('records', node, '"managed" or "all"')
  return 'managed'
}

/** Records hold what people do, so a manifest cannot have them written just anywhere. */
function queueOf(node: Json | undefined, { shown, folder }: Place, bad: Bad): string | undefined {
  if (!node) return undefined
  const path = node.kind === 'value' && typeof node.value === 'string' ? node.value : ''
  const team = real(dirname(shown))
  const queue = join(folder, path)
  const stays = isInside(team, queue) && isInside(team, real(queue))
  return path !== '' && !path.includes('\0') && !isAbsolute(path) && stays
    ? queue
    : bad('queue', node, 'a relative path to a folder of the same team')
}

/** With all links followed, also when the last folders are not there yet. */
const real = (path: string): string => {
  try {
    return realpathSync.native(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), basename(path))
  }
}

// The managed folder: a manifest that the team server signed off, and the scripts beside it. The folder may be a link
// to one release, and the link may be replaced at any moment: it is followed once, and all that is read and run then
// lies behind it, so that the manifest of one release never meets a script of another. People see the short name.

import { lstatSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Source, Team } from '../protocol/config.js'
import type { Draft } from './draft.js'
import { membersOf } from './fields.js'
import { ABSENT, FAILED, type Loaded, openDocument } from './file.js'
import { describe, within } from './json.js'
import type { DiscoverOptions } from './options.js'
import { reasonOf } from './read.js'
import type { Report } from './report.js'
import { rememberReading, rememberUnder } from './stamps.js'
import { readHead } from './team-head.js'
import { readTeamHook } from './team-hook.js'

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { win32: 'Windows', darwin: 'Macintosh' }

type Found = Loaded & { readonly cwd?: string; readonly team?: Team }

export function loadTeam(source: Source, report: Report, options: DiscoverOptions): Found {
  const followed = follow(source, report)
  if (followed.state !== 'there') return followed.state === 'absent' ? ABSENT : FAILED
  const { folder } = followed
  const file = join(folder, 'manifest.json')
  const root = openDocument(file, report, 'config/manifest')
  rememberUnder(source.file, file)
  if (root === 'absent') return ABSENT
  if (root === 'failed') return FAILED
  const members = root.kind === 'object' ? membersOf(root, '', report) : undefined
  const list = members?.get('hooks')
  if (!members || list?.value.kind !== 'array') {
    const message = list
      ? `"hooks" is ${describe(list.value)}; expected an array.`
      : 'The manifest has no "hooks".'
    report.error('config/manifest', {
      place: (list?.value ?? root).place,
      path: list ? 'hooks' : '',
      message,
    })
    return FAILED
  }
  const team = readHead(members, { shown: source.cwd, folder }, report)
  const system = SYSTEMS[options.platform] ?? 'Linux'
  const here = { shown: source.cwd, folder, system, release: team.release }
  const drafts: Draft[] = []
  let dropped = 0
  list.value.items.forEach((item, index) => {
    const result = readTeamHook(item, within('hooks', index), here, report)
    if (result === 'dropped') dropped++
    else if (result !== 'not-for-us') drafts.push(result)
  })
  return { state: 'loaded', drafts, dropped, cwd: folder, team }
}

type Followed = { readonly state: 'there'; readonly folder: string } | { readonly state: 'absent' | 'failed' }

/** A link that leads nowhere is not a team that was left: what was in force stays. */
function follow({ cwd, file }: Source, report: Report): Followed {
  try {
    return { state: 'there', folder: realpathSync.native(cwd) }
  } catch (error) {
    rememberReading(file, undefined)
    const { code } = error as NodeJS.ErrnoException
    const isGone = code === 'ENOENT' || code === 'ENOTDIR'
    if (isGone && !lstatSync(cwd, { throwIfNoEntry: false })) return { state: 'absent' }
    const why = isGone ? 'its folder is a link that leads nowhere' : reasonOf(error)
    report.error('config/manifest', { message: `The file cannot be read: ${why}.` })
    return { state: 'failed' }
  }
}

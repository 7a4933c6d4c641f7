// The sources that the host requires. An incomplete one counts as missing: it only looks as if it guarded.

import type { Issue, Layer, Script, SourceKind } from '../protocol/config.js'
import { locations, managedFolder } from './locations.js'
import type { DiscoverOptions } from './options.js'
import { openReport } from './report.js'
import { statOf } from './stamps.js'

export function findMissing(options: DiscoverOptions, layers: readonly Layer[]): Issue[] {
  const issues: Issue[] = []
  for (const kind of new Set(options.required)) {
    const own = layers.filter(layer => layer.source.kind === kind)
    const say = (file: string, reason: string) =>
      openReport(kind, file, issues).error('config/required-missing', {
        message: `The ${kind} source is required, and ${reason}: ${file}. Permission events are denied.`,
        hint: `Restore ${file}.`,
      })
    for (const layer of own) {
      if (layer.state === 'failed') say(layer.source.file, `its file could not be loaded${because(layer)}`)
      else if (layer.team?.isVerified === false) say(layer.source.file, 'it is not signed')
      else if (layer.dropped > 0) say(layer.source.file, leftOut(layer.dropped))
      else if (kind === 'team' && unfitScript(layer, options))
        say(layer.source.file, unfitScript(layer, options)!)
    }
    const isThere = own.some(layer => layer.state !== 'absent')
    if (!isThere) say(own[0]?.source.file ?? expectedFile(kind, options), 'its file does not exist')
  }
  return issues
}

const leftOut = (count: number) => `${count} of its hooks had to be left out`

/** The device client delivers managed folders complete and executable; if a script cannot start, it was changed. */
const unfitScript = ({ hooks, state }: Layer, { platform }: DiscoverOptions): string | undefined =>
  state !== 'loaded' ||
  hooks.every(
    ({ command, scripts }) => command === undefined || scripts.some(script => canStart(script, platform)),
  )
    ? undefined
    : 'a script of it cannot be started'

/** By the bits, because root passes every access check. */
const canStart = ({ path }: Script, platform: NodeJS.Platform): boolean =>
  platform === 'win32' || ((statOf(path)?.mode ?? 0n) & 0o111n) !== 0n

const because = (layer: Layer): string => {
  const first = layer.issues.find(issue => issue.severity === 'error')
  return first ? ` (${first.message.replace(/\.$/, '')})` : ''
}

/** Where the file would be, when there was not even a place to look: no team folder, no workspace. */
function expectedFile(kind: SourceKind, options: DiscoverOptions): string {
  const all = locations({ ...options, claude: true, roots: options.roots, teams: [] })
  return (
    all.find(source => source.kind === kind)?.file ??
    (kind === 'team' ? managedFolder(options) : options.home)
  )
}

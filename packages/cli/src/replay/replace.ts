// --hooks FILE: replaces the project's own hooks.json. All other sources stay as they are.

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { inspectFile } from '@holdfast/hooks'
import { findProfile } from '@holdfast/hooks/protocol'
import { discoverOptions } from '../catalog.js'
import { shortPath } from '../print/place.js'
import { UsageError } from '../usage-error.js'
import type { Workspace } from '../workspace.js'
import type { Replace } from './play.js'

const AS_THEY_ARE: Replace = async () => (_event, hooks) => hooks

export function replaceWith(file: string | undefined, workspace: Workspace): Replace {
  if (file === undefined) return AS_THEY_ARE
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats?.isFile()) {
    const name = shortPath(file, workspace.screen)
    throw new UsageError(`--hooks "${name}" ${stats ? 'is not a file' : 'does not exist'}.`)
  }
  return async profile => {
    const root = workspace.roots[0]!
    const isFromRoot = findProfile(profile)!.config.pathBase === 'root'
    const folders = { root, cwd: isFromRoot ? root : join(root, '.cursor') }
    const layer = await inspectFile(file, discoverOptions({ ...workspace, profile }), folders)
    if (layer.state !== 'loaded' || layer.dropped > 0) {
      const name = shortPath(file, workspace.screen)
      throw new UsageError(
        `${name} has errors, so a replay would be meaningless. See: holdfast check ${name}`,
      )
    }
    return (event, hooks) => {
      const others = hooks.filter(hook => hook.source !== layer.source.kind || hook.root !== root)
      const own = layer.hooks.filter(hook => hook.event === event)
      // A stable sort keeps the order inside a source.
      return [...own, ...others].sort((a, b) => a.rank - b.rank)
    }
  }
}

// Starts only hooks that the page showed, unchanged.

import { existsSync } from 'node:fs'
import { Code } from '@connectrpc/connect'
import type { HookDefinition, Profile } from '@holdfast/hooks/protocol'
import type { Seen } from '@holdfast/web/panel'
import { shortHook } from '../../print/words.js'
import { versionName } from '../../profiles/names.js'
import type { MayRun } from '../../profiles/simulate.js'
import { fingerprintOf } from '../hooks/seen.js'
import { changed } from '../hooks/trust.js'
import { refusal } from '../refusals.js'

/** `current` is the configuration in the workspace's own version, which pages show. */
export function onlyWhatWasSeen(
  seen: readonly Pick<Seen, 'id' | 'fingerprint'>[],
  current: readonly HookDefinition[],
  pathBase: Profile['config']['pathBase'],
): MayRun {
  const shown = new Map(seen.map(({ id, fingerprint }) => [id, fingerprint]))
  const own = new Map(current.map(hook => [hook.id, hook]))
  let planned = new Map<string, string>()
  let known = new Set<string>()
  return {
    plan({ hooks, skipped, event: { profile } }) {
      planned = new Map()
      for (const { hook } of hooks) {
        const base = own.get(hook.id)
        if (!base || !shown.has(hook.id)) throw notShown(hook, profile.name)
        const isShown = fingerprintOf(base) === shown.get(hook.id)
        const isSame =
          profile.config.pathBase === pathBase
            ? fingerprintOf(hook) === shown.get(hook.id)
            : startsNothingElse(hook, base)
        if (!isShown || !isSame) throw changed(shortHook(hook))
        planned.set(hook.id, fingerprintOf(hook))
      }
      known = new Set([...planned.keys(), ...skipped.map(({ hook }) => hook.id)])
    },
    // Checked again just before they start.
    hooks(hooks) {
      for (const hook of hooks) {
        if (!known.has(hook.id)) throw changed('What is configured')
        if (planned.has(hook.id) && fingerprintOf(hook) !== planned.get(hook.id))
          throw changed(shortHook(hook))
      }
    },
  }
}

/** A version that searches other folders for scripts finds the same ones, or none. */
function startsNothingElse({ scripts }: HookDefinition, base: HookDefinition): boolean {
  const known = new Set(base.scripts.map(({ path }) => path))
  return scripts.every(({ path }) => known.has(path) || !existsSync(path))
}

const notShown = (hook: HookDefinition, profile: string) =>
  refusal(
    Code.FailedPrecondition,
    `${shortHook(hook)} would also run in ${versionName(profile)} and was not shown. Review the hooks that will run first.`,
  )

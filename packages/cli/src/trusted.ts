// Which hooks that need trust have it, and which lost it by a change.

import { readFileSync } from 'node:fs'
import { type HookDefinition, SOURCES } from '@holdfast/hooks/protocol'

export type TrustState = 'trusted' | 'new' | 'changed'

export interface TrustedHook {
  readonly hook: HookDefinition
  readonly state: TrustState
}

/** The state of each hook that needs trust. */
export function judgeTrust(
  hooks: readonly HookDefinition[],
  trustFile: string,
  hasRun: (hook: HookDefinition) => boolean,
): TrustedHook[] {
  const hasTrust = trustsAnything(trustFile)
  return hooks
    .filter(({ source }) => SOURCES[source].needsTrust)
    .map(hook => ({ hook, state: stateOf(hook, hasTrust, hasRun) }))
}

/** Something was trusted before, and this command has run: so the entry or its script changed. */
const stateOf = (
  hook: HookDefinition,
  hasTrust: boolean,
  hasRun: (hook: HookDefinition) => boolean,
): TrustState => (hook.trusted ? 'trusted' : hasTrust && hasRun(hook) ? 'changed' : 'new')

function trustsAnything(file: string): boolean {
  try {
    return Object.keys(JSON.parse(readFileSync(file, 'utf8')).roots ?? {}).length > 0
  } catch {
    return false
  }
}

// Trusts hooks exactly as the page showed them.

import { Code } from '@connectrpc/connect'
import type { Seen } from '@holdfast/web/panel'
import { shortPath } from '../../print/place.js'
import { shortHook } from '../../print/words.js'
import { hooksOf, type Panel } from '../panel.js'
import { notThere, refusal, wrong } from '../refusals.js'
import { fingerprintOf } from './seen.js'

export async function trust({ engine, workspace }: Panel, seen: readonly Pick<Seen, 'id' | 'fingerprint'>[]) {
  if (seen.length === 0) throw wrong('The request names no hook.')
  const hooks = new Map(hooksOf(await engine.reload()).map(hook => [hook.id, hook]))
  for (const { id, fingerprint } of seen) {
    const hook = hooks.get(id)
    if (!hook) throw notThere('A hook to trust is no longer configured. Reload the page.')
    if (fingerprintOf(hook) !== fingerprint) throw changed(shortHook(hook))
  }
  try {
    const trusted = await engine.trust(seen.map(({ id }) => hooks.get(id)!))
    return { trusted: trusted.length }
  } catch (error) {
    const where = shortPath(workspace.trustFile, workspace.screen)
    throw refusal(
      Code.FailedPrecondition,
      `Trust could not be saved in ${where}: ${(error as Error).message}. Check that the folder can be written.`,
    )
  }
}

export const changed = (name: string) =>
  refusal(Code.Aborted, `${name} changed since it was shown. Review it again first.`)

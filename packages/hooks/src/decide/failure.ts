// What one run thinks. A failed run has an opinion too: whatever the entry, the event and the version say about
// failures. This is the only place where a failure becomes a deny or is let pass.

import type { FailureCode } from '../protocol/codes.js'
import type { HookDefinition } from '../protocol/config.js'
import type { Event, Run } from '../protocol/run.js'
import type { Opinion } from '../protocol/verdict.js'

export function opinionOf(run: Run, event: Event): Opinion {
  const { outcome } = run
  if (event.spec.gate === 'none' || outcome.kind === 'silent') return 'abstain'
  if (outcome.kind === 'failed')
    return blocksOnFailure(outcome.failure.code, run.hook, event) ? 'deny' : 'abstain'
  const { permission, continue: goesOn } = outcome.answer
  if (event.spec.gate === 'permission') return permission ?? 'abstain'
  return goesOn === undefined ? 'abstain' : goesOn ? 'allow' : 'deny'
}

/** An answer that cannot be understood may have been a deny. */
const INVALID: ReadonlySet<FailureCode> = new Set(['run/invalid-json', 'run/bad-shape'])

function blocksOnFailure(code: FailureCode, hook: HookDefinition, { spec, profile }: Event): boolean {
  const rule = profile.failure[INVALID.has(code) ? 'invalid' : 'crash']
  if (rule === 'open') return false
  const saysClosed = profile.config.keys.includes('failClosed') ? hook.failClosed : undefined
  // Only permission events block unasked; the others follow the table when the entry says so.
  if (spec.gate === 'continue') return saysClosed === true
  return rule === 'closed' || (saysClosed ?? spec.failure === 'closed')
}

// What a failed run did to the action in one version, and by which rule.

import type { Run } from '@holdfast/hooks/protocol'
import { policyOf } from '../print/policy.js'
import { saidBy } from '../print/words.js'
import type { Simulated } from './simulate.js'

/** `fails open: cursor-2.4 does not know failClosed`. */
export function failureMeans(run: Run, { verdict, plan, profile }: Simulated): string {
  const { spec } = plan.event
  const said = saidBy(run, verdict, spec)
  if (said === 'failed' || said === 'observes') return 'nothing hangs on it'
  const policy = policyOf(run.hook, spec, profile)
  const means = said === 'failed closed' ? 'it fails closed' : 'it fails open'
  const byPolicy = said === `failed ${policy.effect}`
  return byPolicy
    ? `${means}: ${policy.why}`
    : `${means}: an answer that is not valid ${said === 'failed closed' ? 'stops the action' : 'lets it pass'}`
}

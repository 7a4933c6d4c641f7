// The features of a case. The cases that run on real scripts in `npm test` cover the features of all cases.

import { RESPONSE_FIELDS } from '../packages/hooks/src/protocol/response-fields.js'
import type { Case, CaseHook } from './case.js'
import { decisionOf, objectPrintedBy, riskOf, rowOf } from './classify.js'
import { rank } from './coverage.js'
import { eventOf, type FiledCase, profileOf } from './load.js'

export function featuresOf({ topic, case: one }: FiledCase): string[] {
  const { hooks, host = {}, expect } = one
  const list: string[] = [`topic ${topic}`, `section ${one.spec}`, `in ${profileOf(one)}`]
  // These run on scripts only.
  if (one.only === 'scripts') list.push(`only ${one.note}`)
  if (one.change) list.push(`${one.change.how} ${one.change.source} in ${profileOf(one)}`)
  if (one.before) list.push(`before ${one.before.map(step => step.event).join(' ')}`)
  for (const [key, value] of Object.entries(host)) {
    list.push(`host ${key} ${typeof value === 'object' ? '' : value}`)
  }
  for (const [source, parts] of Object.entries(one.config ?? {})) {
    list.push(`config of ${source}`, ...Object.keys(parts).map(part => `config ${part}`))
  }
  for (const hook of hooks) list.push(...featuresOfHook(hook, one))
  if (hooks.length > 1) list.push(...featuresOfMerging(hooks))
  list.push(...Object.keys(expect).map(key => `expects ${key}`), `proceeds ${expect.proceeds}`)
  for (const reason of Object.values(expect.skipped ?? {})) list.push(`skipped ${reason}`)
  for (const issue of expect.issues ?? []) list.push(`issue ${issue}`)
  for (const [key, value] of Object.entries(expect.guard ?? {})) {
    list.push(`guard ${key} ${typeof value === 'boolean' ? value : value === null}`)
  }
  for (const hook of expect.hooks ?? []) {
    if (!hook) continue
    list.push(...Object.keys(hook).map(key => `hook expects ${key}`), `failure ${hook.failure}`)
    list.push(...(hook.notes ?? []).map(note => `note ${note}`))
  }
  return list
}

function featuresOfHook(hook: CaseHook, one: Case): string[] {
  const { exit = {} } = hook
  const event = eventOf(hook, one)
  const row = rowOf(hook)
  return [
    `hook of ${hook.source}`,
    `${event} decides ${decisionOf(hook)}`,
    `${event} fails with ${row}`,
    `${row} with failClosed ${hook.failClosed}`,
    `risk ${riskOf(hook)}`,
    `ends with code ${exit.code} signal ${exit.signal} overflow ${exit.overflow}`,
    ...Object.keys(exit).map(key => `exit ${key}`),
    ...Object.keys(hook).map(key => `hook ${key}`),
    ...Object.keys(hook.reply ?? {}).map(key => `reply ${key}`),
    ...Object.keys(objectPrintedBy(hook) ?? {}).map(field => `answers ${field}`),
    ...(hook.loop_limit === undefined ? [] : [`${event} limited to ${hook.loop_limit}`]),
  ]
}

function featuresOfMerging(hooks: readonly CaseHook[]): string[] {
  const sorted = [...hooks].sort((a, b) => rank(a.source) - rank(b.source))
  return sorted.slice(1).flatMap((low, at) => {
    const high = sorted[at]!
    const where = high.source === low.source ? 'in one source' : 'in two sources'
    const fields = Object.keys(RESPONSE_FIELDS).filter(field =>
      [high, low].every(hook => field in (objectPrintedBy(hook) ?? {})),
    )
    return [
      `${high.source} over ${low.source}`,
      `${decisionOf(high)} over ${decisionOf(low)} ${where}`,
      ...fields.map(field => `${field} twice ${where}`),
    ]
  })
}

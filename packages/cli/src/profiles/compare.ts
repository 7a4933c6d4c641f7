// What one version made of the event, beside what the version that it is compared with made of it. Nothing is judged
// here: the engine has decided, and said why.

import { isDeepStrictEqual } from 'node:util'
import { readExit } from '@holdfast/hooks'
import {
  findEvent,
  findProfile,
  type HookDefinition,
  isAsking,
  isBlocked,
  type Note,
  type Run,
  type Skipped,
  type Verdict,
} from '@holdfast/hooks/protocol'
import { oneLine } from '../print/text.js'
import { failureWords, pattern, type Said, saidBy, skipWords } from '../print/words.js'
import { failureMeans } from './failing.js'
import { TODAY, versionName } from './names.js'
import { type Received, received } from './received.js'
import type { Simulated } from './simulate.js'

export interface HookRow {
  readonly hook: HookDefinition
  readonly said: Said | 'skipped'
  /** Fields of its answer that count in this version, and those that would count today and do not. */
  readonly honoured: readonly string[]
  readonly ignored: readonly string[]
  /** Why, and whatever else differs. */
  readonly remarks: readonly string[]
}

export interface Row {
  readonly simulated: Simulated
  readonly received: Received | null
  readonly outcome: string
  /** What is not as in the version that it is compared with: `outcome`, `user message` … */
  readonly differs: readonly string[]
  readonly hooks: readonly HookRow[]
}

export function compare(all: readonly Simulated[]): { rows: Row[]; reference: Simulated } {
  const reference = all.find(({ profile }) => profile.name === TODAY) ?? all[0]!
  return { rows: all.map(one => rowOf(one, reference)), reference }
}

function rowOf(one: Simulated, reference: Simulated): Row {
  const { spec, verdict, plan } = one
  const outcome = outcomeOf(one)
  const parts = PARTS.filter(([, name]) => !isDeepStrictEqual(verdict[name], reference.verdict[name])).map(
    ([words]) => words,
  )
  return {
    simulated: one,
    received: spec ? received(plan.event) : null,
    outcome,
    differs: [...(outcome === outcomeOf(reference) ? [] : ['outcome']), ...parts],
    hooks: [
      ...verdict.runs.map(run => ranRow(run, one, reference)),
      ...(spec ? verdict.skipped.map(skipped => skippedRow(skipped, one, reference)) : []),
    ],
  }
}

const PARTS = [
  ['user message', 'userMessage'],
  ['agent message', 'agentMessage'],
  ['input', 'updatedInput'],
  ['output', 'updatedMcpToolOutput'],
  ['context', 'additionalContext'],
  ['follow-up', 'followupMessage'],
  ['variables', 'env'],
  ['plugins', 'pluginPaths'],
] as const satisfies readonly (readonly [string, keyof Verdict])[]

/** Of these, the ones that change what happens next. */
const CARRIED = PARTS.slice(2)

export function outcomeOf({ spec, verdict }: Simulated): string {
  if (!spec) return 'no such event'
  if (isBlocked(verdict)) return 'denied'
  const carried = CARRIED.filter(([, name]) => verdict[name] !== null).map(([words]) => words)
  const goes = isAsking(verdict)
    ? 'asks'
    : verdict.permission === 'allow' || verdict.continue
      ? 'allowed'
      : 'goes on'
  if (spec.gate === 'none' && carried.length > 0) return carried.join(', ')
  return [goes, ...carried].join(', ')
}

function ranRow(run: Run, one: Simulated, reference: Simulated): HookRow {
  const { verdict, profile, spec } = one
  const same = (other: Run) => other.hook.id === run.hook.id
  const there = reference.verdict.runs.find(same)
  const said = saidToday(run, one)
  const isHeard = run.hook.mode === 'enforce'
  const honoured = Object.keys(isHeard && run.outcome.kind === 'answered' ? run.outcome.answer : {})
  const ignored = isHeard ? Object.keys(said).filter(field => !honoured.includes(field)) : []
  const isReference = one === reference
  const isNews = (note: Note) => isReference || !there?.notes.some(({ message }) => message === note.message)
  const isMute = run.outcome.kind === 'failed' && Object.keys(said).length === 0
  const otherwise = there && !isMute && !isDeepStrictEqual(said, saidToday(there, reference))
  const remarks = [
    ...matcherRemarks(run.hook, one),
    ...(otherwise ? [`it answers otherwise here: ${JSON.stringify(said)}`] : []),
    ...(run.outcome.kind === 'failed'
      ? [`${failureWords(run).replace(/\.$/, '')}; ${failureMeans(run, one)}`]
      : []),
    ...run.notes.filter(isNews).map(({ message }) => oneLine(message)),
    ...verdict.overruled.filter(({ run: lost }) => lost === run).map(({ note }) => oneLine(note.message)),
  ]
  if (ignored.length > 0 && remarks.length === 0) {
    remarks.push(`${ignored.join(', ')}: not honoured in ${versionName(profile.name)}`)
  }
  return {
    hook: run.hook,
    said: saidBy(run, verdict, spec ?? one.plan.event.spec),
    honoured,
    ignored,
    remarks,
  }
}

/** What the same output would mean today: all that the hook said, in today's words. */
function saidToday({ exit, hook }: Run, { plan, verdict }: Simulated): Record<string, unknown> {
  const { payload, fields } = plan.event
  const event = { spec: findEvent(verdict.event)!, profile: findProfile(TODAY)!, payload, fields }
  const { outcome } = readExit(exit, hook, event)
  return outcome.kind === 'answered' ? { ...outcome.answer } : {}
}

function matcherRemarks(hook: HookDefinition, { plan, profile }: Simulated): string[] {
  const wanted = pattern(hook.matcher)
  if (wanted === undefined || profile.config.keys.includes('matcher') || plan.subject === null) return []
  return [`runs whatever the pattern ${wanted} says: ${versionName(profile.name)} knows no matcher`]
}

function skippedRow({ hook, reason }: Skipped, one: Simulated, reference: Simulated): HookRow {
  const alike = reference.verdict.skipped.some(other => other.hook.id === hook.id && other.reason === reason)
  const words = skipWords(reason, hook.matcher, one.plan.event.spec, one.profile)
  const remarks = alike && one !== reference ? [] : [words]
  return { hook, said: 'skipped', honoured: [], ignored: [], remarks }
}

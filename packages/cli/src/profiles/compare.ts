// The result of one version beside that of the version it is compared with. The engine has decided; nothing is judged
// again here.

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
import { policyOf } from '../print/policy.js'
import { oneLine } from '../print/text.js'
import { failureWords, pattern, type Said, saidBy, skipWords } from '../print/words.js'
import { TODAY, versionName } from './names.js'
import { type Received, received } from './received.js'
import type { Simulated } from './simulate.js'

export interface HookRow {
  readonly hook: HookDefinition
  readonly said: Said | 'skipped'
  /** Fields of the response that have an effect in this version, and those that would have one today and do not. */
  readonly honoured: readonly string[]
  readonly ignored: readonly string[]
  /** The reason, and other differences. */
  readonly remarks: readonly string[]
}

export interface ProfileRow {
  readonly simulated: Simulated
  readonly received: Received | null
  readonly outcome: string
  /** Differences from the version that it is compared with: `outcome`, `user message` … */
  readonly differs: readonly string[]
  readonly hooks: readonly HookRow[]
}

export function compare(all: readonly Simulated[]): { rows: ProfileRow[]; reference: Simulated } {
  const reference = all.find(({ profile }) => profile.name === TODAY) ?? all[0]!
  return { rows: all.map(one => rowOf(one, reference)), reference }
}

function rowOf(one: Simulated, reference: Simulated): ProfileRow {
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
  ['prompt', 'updatedPrompt'],
  ['output', 'updatedMcpToolOutput'],
  ['context', 'additionalContext'],
  ['follow-up', 'followupMessage'],
  ['variables', 'env'],
  ['plugins', 'pluginPaths'],
] as const satisfies readonly (readonly [string, keyof Verdict])[]

/** Of these, the ones that change the action. */
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
    ...(otherwise ? [`its response differs here: ${JSON.stringify(said)}`] : []),
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

/** The complete response of the hook in current terms. */
function saidToday({ exit, hook }: Run, { plan, verdict }: Simulated): Record<string, unknown> {
  const { payload, fields } = plan.event
  const event = { spec: findEvent(verdict.event)!, profile: findProfile(TODAY)!, payload, fields }
  const { outcome } = readExit(exit, hook, event)
  return outcome.kind === 'answered' ? { ...outcome.answer } : {}
}

function matcherRemarks(hook: HookDefinition, { plan, profile }: Simulated): string[] {
  const wanted = pattern(hook.matcher)
  if (wanted === undefined || profile.config.keys.includes('matcher') || plan.subject === null) return []
  return [`runs whatever the pattern ${wanted} says: ${versionName(profile.name)} does not support matchers`]
}

function skippedRow({ hook, reason }: Skipped, one: Simulated, reference: Simulated): HookRow {
  const alike = reference.verdict.skipped.some(other => other.hook.id === hook.id && other.reason === reason)
  const words = skipWords(reason, hook.matcher, one.plan.event.spec, one.profile)
  const remarks = alike && one !== reference ? [] : [words]
  return { hook, said: 'skipped', honoured: [], ignored: [], remarks }
}

/** `fails open: cursor-2.4 does not know failClosed`. */
function failureMeans(run: Run, { verdict, plan, profile }: Simulated): string {
  const { spec } = plan.event
  const said = saidBy(run, verdict, spec)
  if (said === 'failed' || said === 'observes') return 'it has no effect'
  const policy = policyOf(run.hook, spec, profile)
  const means = said === 'failed closed' ? 'it fails closed' : 'it fails open'
  const byPolicy = said === `failed ${policy.effect}`
  return byPolicy
    ? `${means}: ${policy.why}`
    : `${means}: an invalid response ${said === 'failed closed' ? 'blocks the action' : 'lets it proceed'}`
}

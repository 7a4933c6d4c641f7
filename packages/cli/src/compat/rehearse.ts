// What the hooks really do: sample events, fired in every version through the engine, compared with the default profile.

import { type Hooks, openHooks } from '@holdfast/hooks'
import {
  CODES,
  EVENT_NAMES,
  type EventName,
  type EventSpec,
  findEvent,
  type HookDefinition,
  isBlocked,
  type ProfileName,
  type Verdict,
} from '@holdfast/hooks/protocol'
import { canaryPayload, fileIn } from '../doctor/canary.js'
import { withFile } from '../doctor/file.js'
import { shorten, visible } from '../print/text.js'
import { aboutWords, failureWords, list, ownWord, type Said } from '../print/words.js'
import { compare, type HookRow, type ProfileRow } from '../profiles/compare.js'
import { TODAY } from '../profiles/names.js'
import { receivedWords } from '../profiles/received.js'
import { type Simulated, simulate } from '../profiles/simulate.js'
import type { Workspace } from '../workspace.js'
import type { Finding } from './finding.js'
import { type Found, isProven, type JudgedHook, standing, together, type Verdicts } from './judge.js'

type Payload = Record<string, unknown>

export interface Rehearsal {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  readonly onEvent: (event: EventName) => void
}

export async function rehearse(verdicts: Verdicts, rehearsal: Rehearsal): Promise<Verdicts> {
  const env = { ...process.env, HOLDFAST_CANARY: '1' }
  const host = { env, log: { file: null }, rehearsal: true } as const
  const rehearsed = new Set<string>()
  const found = new Map<string, Found[]>()
  const hooks = await openHooks({ ...rehearsal.workspace.host, ...host, profile: TODAY })
  try {
    for (const event of EVENT_NAMES.filter(name => hooks.has(name))) {
      rehearsal.onEvent(event)
      for (const payload of await telling(findEvent(event)!, hooks, rehearsal)) {
        const firing = {
          event,
          fields: payload,
          workspace: rehearsal.workspace,
          host: { env },
          signal: rehearsal.signal,
        }
        const profiles = [...new Set([...verdicts.profiles, TODAY])]
        const all = await withFile(fileIn(payload), () => simulate(firing, profiles, () => {}))
        for (const [id, news] of differencesIn(all, payload)) {
          rehearsed.add(id)
          found.set(id, [...(found.get(id) ?? []), ...news])
        }
      }
    }
  } finally {
    hooks.close()
  }
  return {
    ...verdicts,
    rehearsed,
    hooks: verdicts.hooks.map(({ subject, found: judged }) => ({
      subject,
      found: withRuns(judged, found.get(subject.hook.id) ?? []),
    })),
  }
}

/** The samples to which some hook responds in a way that no sample before it caused. */
async function telling(spec: EventSpec, hooks: Hooks, { workspace, signal }: Rehearsal): Promise<Payload[]> {
  const known = new Set<string>()
  const chosen: Payload[] = []
  for (const payload of samplesOf(spec, workspace.roots[0]!)) {
    const plan = await hooks.explain(spec.name, payload as never)
    const ids = plan.hooks.map(({ hook }) => hook.id)
    // Without a gate there is no decision to look for: each hook runs once.
    if (spec.gate === 'none' ? ids.every(id => known.has(id)) : ids.length === 0) continue
    const { runs } = await withFile(fileIn(payload), () =>
      hooks.fire(spec.name, payload as never, { signal }),
    )
    const keys = [...ids, ...runs.map(run => `${run.hook.id} ${ownWord(run, false, spec)}`)]
    if (keys.some(key => !known.has(key))) chosen.push(payload)
    for (const key of keys) known.add(key)
  }
  return chosen
}

/** A harmless event, the sample of the table, which guards often deny, and the well-known subjects of the event. */
function samplesOf(spec: EventSpec, root: string): Payload[] {
  const harmless = canaryPayload(spec, root)
  const sample = Object.entries(spec.sample).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.replace(/^\/project(?=\/|$)/, () => root) : value,
  ])
  const subjects = 'field' in spec.subject ? spec.subject.examples : []
  return [
    harmless,
    { ...harmless, ...Object.fromEntries(sample) },
    ...subjects.map(subject => canaryPayload(spec, root, subject)),
  ]
}

/** By the id of each hook that ran now, how its result differs in the other versions. */
export function differencesIn(all: readonly Simulated[], payload: Payload): Map<string, Found[]> {
  const { rows, reference } = compare(all)
  const now = rows.find(({ simulated }) => simulated === reference)!
  const others = rows.filter(row => row !== now && row.simulated.spec)
  const ran = now.hooks.filter(({ said, hook }) => said !== 'skipped' && hook.type !== 'prompt')
  return new Map(
    ran.map(today => {
      // A hook that fails now has nothing to compare; doctor shows why.
      const isComparable = !today.said.startsWith('failed') && today.said !== 'observes'
      const found = (isComparable ? others : []).flatMap((row): Found[] => {
        const finding = differenceIn(row, today, reference.verdict, aboutOf(payload))
        return finding ? [[nameOf(row), 'run', finding]] : []
      })
      return [today.hook.id, found]
    }),
  )
}

const nameOf = ({ simulated }: ProfileRow) => simulated.profile.name as ProfileName

const aboutOf = (payload: Payload): string =>
  typeof payload.tool_name === 'string'
    ? `the tool ${payload.tool_name}`
    : shorten(visible(aboutWords(payload) ?? 'a sample'), 50)

const FORCE: Partial<Record<Said | 'skipped', number>> = { deny: 2, 'failed closed': 2, ask: 1 }

function differenceIn(row: ProfileRow, today: HookRow, now: Verdict, about: string): Finding | undefined {
  const there = row.hooks.find(({ hook }) => hook.id === today.hook.id)
  if (!there) return undefined
  const { verdict } = row.simulated
  const overruled = verdict.overruled.find(({ run }) => run.hook.id === there.hook.id)
  const honoured = overruled || there.said === 'skipped' ? [] : there.honoured
  const lost = today.honoured.filter(field => !honoured.includes(field))
  const isLost = overruled !== undefined && !isBlocked(verdict)
  const change = (isLost ? 0 : (FORCE[there.said] ?? 0)) - (FORCE[today.said] ?? 0)
  if (lost.length === 0 && change === 0 && today.said === there.said) return otherValue(row, honoured, about)
  const result = overruled
    ? 'its response does not count'
    : there.said === today.said
      ? `${list(lost)} ${lost.length > 1 ? 'have' : 'has'} no effect`
      : `${WORDS[there.said] ?? there.said} instead of ${WORDS[today.said] ?? today.said}`
  const isNothing = change <= 0 && lost.length > 0 && honoured.length === 0
  return {
    effect: isNothing ? 'nothing' : change < 0 ? 'weaker' : 'differs',
    what: [`Tried with ${about}: ${result}.`, ...reasonsFor(row, there, now)].join(' '),
    fix: fixFor(row, there),
  }
}

/** The same words in every version, so that versions with the same cause are one finding. */
function reasonsFor(
  { simulated: { verdict }, received }: ProfileRow,
  { hook, said }: HookRow,
  now: Verdict,
): string[] {
  if (said === 'skipped') return ["An earlier hook's response ended the event."]
  const run = runOf(verdict, hook)
  const known = new Set(runOf(now, hook)?.notes.map(({ message }) => message))
  const reasons = [
    ...(run?.outcome.kind === 'failed' ? [failureWords(run)] : []),
    ...(run?.notes ?? []).map(({ message }) => message).filter(message => !known.has(message)),
    ...verdict.overruled.filter(one => one.run === run).map(({ note }) => note.message),
  ]
  if (reasons.length === 0 && received) reasons.push(`the payload has ${receivedWords(received)}`)
  return reasons.map(sentence)
}

const runOf = ({ runs }: Verdict, hook: HookDefinition) => runs.find(run => run.hook.id === hook.id)

/** One value for all hooks of an event: in some versions that of another hook is taken. */
function otherValue(
  { differs, hooks }: ProfileRow,
  honoured: readonly string[],
  about: string,
): Finding | undefined {
  const isShared = (field: string) => hooks.filter(hook => hook.honoured.includes(field)).length > 1
  const field = differs
    .map(part => SINGLE[part])
    .find(name => name !== undefined && honoured.includes(name) && isShared(name))
  return field === undefined
    ? undefined
    : {
        effect: 'differs',
        what: `Tried with ${about}: several hooks respond with ${field}, and the value of another one is taken.`,
        fix: 'Set it in one hook only.',
      }
}

const SINGLE: Readonly<Record<string, string>> = {
  input: 'updated_input',
  output: 'updated_mcp_tool_output',
  'follow-up': 'followup_message',
  variables: 'env',
}

const WORDS: Partial<Record<Said | 'skipped', string>> = {
  skipped: 'not run',
  silent: 'no response',
  answered: 'a response',
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

function fixFor({ simulated: { verdict } }: ProfileRow, { hook, said }: HookRow): string {
  if (said === 'skipped') return 'Put it first, or combine the hooks of the event in one script.'
  const run = runOf(verdict, hook)
  const isContinue = findEvent(hook.event)!.gate === 'continue'
  if (run?.exit.code === 2 && said !== 'deny')
    return `Print ${isContinue ? '{"continue": false}' : '{"permission": "deny"}'} and exit with 0.`
  const failure = run?.outcome.kind === 'failed' ? run.outcome.failure.code : undefined
  if (failure === 'run/no-answer') return 'Print {} to abstain.'
  const code = failure ?? verdict.overruled.find(one => one.run === run)?.note.code ?? run?.notes[0]?.code
  if (code === undefined) return 'Read both names of a field, and use a default when a field is absent.'
  return code === 'note/no-effect'
    ? 'Add a field that this version honours, if it has one. Versions ignore fields that they do not have.'
    : CODES[code].hint
}

/** A run proves or replaces what was only possible there. One cause is shown once, with the first sample. */
function withRuns(judged: readonly JudgedHook[], runs: readonly Found[]): JudgedHook[] {
  const seen = new Set<string>()
  const news = runs.filter(([version, , { effect, fix }]) => {
    const key = `${version} ${effect} ${fix}`
    if (standing(judged, version) === 'nothing' || seen.has(key)) return false
    seen.add(key)
    return true
  })
  const shown = new Set(news.map(([version]) => version))
  const kept = judged.flatMap(one =>
    one.versions
      .filter(version => isProven(one) || !shown.has(version))
      .map((version): Found => [version, one.kind, one]),
  )
  return together([...kept, ...news])
}

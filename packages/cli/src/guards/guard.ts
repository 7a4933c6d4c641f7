// holdfast guard NAME: the hook that `holdfast add NAME` configures. Reads a payload on stdin and prints a response. It exits
// with 2, which denies, if it cannot judge; guards that do not decide exit with 1.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import {
  commandOf,
  type Finding,
  GUARDS,
  type Guard,
  type Judgement,
  type Payload,
  type Place,
  withDefaults,
} from '@holdfast/guards'
import { type Given, oneOf } from '../arguments.js'
import type { Command } from '../command.js'
import { home } from '../option-sections.js'
import { print, printError } from '../print/terminal.js'
import { UsageError } from '../usage-error.js'
import { requestApproval, type Subject, takeApproval } from './approvals.js'
import { decides, responseKind } from './entries.js'
import { type GuardOptions, isExpired, optionsFile, readGuardOptions } from './options.js'

const NAMES = GUARDS.map(({ name }) => name)

export const command: Command = {
  name: 'guard',
  summary: 'Judge one payload; holdfast add configures this command as a hook',
  description:
    'Reads the payload of an event from stdin and prints a response. If it cannot judge the action, it exits with 2, which denies the action; guards that do not decide (audit, format, grind) exit with 1.',
  arguments: [{ name: 'guard', summary: NAMES.join(', '), values: NAMES }],
  options: [{ options: { home } }],
  exitCodes: {
    0: 'the response is on stdout',
    1: 'the call is wrong, or a guard that does not decide failed',
    2: 'the payload could not be judged',
  },
  examples: [`echo '{"command": "rm -rf /"}' | holdfast guard shell`],
  run,
}

async function run(given: Given): Promise<number> {
  const [name] = given.positionals
  if (name === undefined) throw new UsageError(`guard needs a name: ${NAMES.join(', ')}.`)
  oneOf('guard', name, NAMES)
  const home = given.value('home') ?? homedir()
  const { stdout, stderr, exitCode } = await judge(name, readFileSync(0, 'utf8'), {
    cwd: process.cwd(),
    home,
  })
  if (stderr !== '') printError(stderr)
  print(stdout)
  return exitCode
}

export interface GuardPlace {
  readonly cwd: string
  readonly home: string
}

/** The text of a payload → what the process prints. The daemon calls it, too. */
export async function judge(name: string, text: string, place: GuardPlace) {
  const guard = GUARDS.find(one => one.name === name)!
  const notes: string[] = []
  try {
    const payload: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    if (typeof payload !== 'object' || payload === null) throw new Error('the payload is not an object.')
    const options = readGuardOptions(optionsFile(place.cwd), guard.name)
    const response = await responseTo(guard, payload as Payload, options, place, note =>
      notes.push(`${note}\n`),
    )
    return { stdout: `${JSON.stringify(response)}\n`, stderr: notes.join(''), exitCode: 0 }
  } catch (error) {
    const what = decides(name) ? 'It could not judge the action' : 'It failed'
    const stderr = `holdfast guard ${name}: ${what}: ${(error as Error).message}\n`
    return { stdout: '', stderr, exitCode: decides(name) ? 2 : 1 }
  }
}

async function responseTo(
  guard: Guard,
  payload: Payload,
  { strength, options, allow }: GuardOptions,
  { cwd, home }: GuardPlace,
  note: (text: string) => void,
): Promise<object> {
  const now = Date.now()
  const place = placeOf(payload, cwd, home)
  const judgement = await guard.judge(payload, withDefaults(guard, options), place)
  if (judgement.followup !== undefined) return { followup_message: judgement.followup }
  const subject = subjectOf(guard, payload, place)
  const excepted = (rule: string) =>
    allow.some(
      one =>
        one.rule === rule &&
        !isExpired(one, now) &&
        (one.command === undefined || one.command === subject.text),
    )
  const findings = judgement.findings.filter(({ rule }) => !excepted(rule))
  const unknown = judgement.unknown ?? []
  if (findings.length === 0 && (unknown.length === 0 || excepted(`${guard.name}/unknown`))) return {}
  const text = textFor(findings, unknown)
  if (strength === 'audit') {
    note(text)
    return {}
  }
  const isDenied = strength === 'deny' && findings.some(({ decision }) => decision === 'deny')
  return respond(judgement, isDenied ? 'deny' : 'ask', text, findings, subject, home, payload, now)
}

function respond(
  { output }: Judgement,
  decision: 'deny' | 'ask',
  text: string,
  findings: readonly Finding[],
  subject: Subject,
  home: string,
  payload: Payload,
  now: number,
): object {
  const kind = responseKind(payload)
  if (kind === 'observes')
    return {
      ...(output === undefined ? {} : { updated_mcp_tool_output: output }),
      additional_context: `${text}${insteadOf(findings)}`,
    }
  if (takeApproval(home, subject, now)) return {}
  const code = requestApproval(home, subject, findings, now)
  // Only the user receives the code.
  const user = `${text}${code === undefined ? '' : ` To let it pass once: holdfast allow-once ${code}`}`
  if (kind === 'prompt') return { continue: false, user_message: user }
  return {
    permission: kind === 'asks' ? decision : 'deny',
    user_message: user,
    agent_message: `${text}${insteadOf(findings)} Only the user can let it pass.`,
  }
}

function placeOf({ cwd, workspace_roots: roots }: Payload, here: string, home: string): Place {
  const root = Array.isArray(roots) && typeof roots[0] === 'string' ? roots[0] : here
  return { root, home, cwd: typeof cwd === 'string' && cwd.startsWith('/') ? cwd : root }
}

/** What a person approves: exactly this, in this folder. */
function subjectOf(guard: Guard, payload: Payload, { cwd }: Place): Subject {
  const { tool_name: tool, tool_input: input, file_path: file, prompt } = payload
  const call =
    tool === undefined ? undefined : `${tool} ${typeof input === 'string' ? input : JSON.stringify(input)}`
  const text = commandOf(payload) ?? call ?? file ?? prompt
  return { guard: guard.name, folder: cwd, text: typeof text === 'string' ? text : JSON.stringify(payload) }
}

const textFor = (findings: readonly Finding[], unknown: readonly string[]): string =>
  findings.length > 0
    ? findings.map(({ reason, rule }) => `${reason} (${rule})`).join(' ')
    : `The command is not fully understood: ${unknown.join('; ')}.`

const insteadOf = (findings: readonly Finding[]): string => {
  const ways = [...new Set(findings.map(({ instead }) => instead))]
  return ways.length > 0 ? ` Instead: ${ways.join(' ')}` : ''
}

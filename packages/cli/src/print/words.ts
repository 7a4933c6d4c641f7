// Words for hooks, runs and reasons on screen.

import type {
  Decision,
  EventSpec,
  HookDefinition,
  Matcher,
  Outcome,
  Planned,
  Profile,
  Run,
  SkipReason,
  Verdict,
} from '@holdfast/hooks/protocol'
import { oneLine, visible } from './text.js'

const INTERPRETERS =
  /^(?:(?:.*[\\/])?(?:node|nodejs|tsx|ts-node|bun|deno|python|python3|ruby|perl|php|bash|sh|zsh|pwsh|powershell))$/
const SHELL_SYNTAX = /["'`$|&;<>(){}*?\n]/

/** `guard.js` for `node .cursor/hooks/guard.js --strict`; the complete command if it runs more than one program. */
export function shortCommand(command: string): string {
  const text = command.trim()
  if (SHELL_SYNTAX.test(text)) return visible(text)
  const words = text.split(/\s+/)
  const program = words[0] ?? ''
  if (INTERPRETERS.test(program)) {
    const script = words[1] === 'run' ? words[2] : words[1]
    return visible(script === undefined || script.startsWith('-') ? text : baseName(script))
  }
  return visible(/[\\/]/.test(program) ? baseName(program) : text)
}

const baseName = (path: string) => path.split(/[\\/]/).at(-1) || path

export const shortHook = (hook: HookDefinition): string =>
  hook.type === 'command' ? shortCommand(hook.name) : visible(hook.name)

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** `a, b and c`. */
export const list = (words: readonly string[], join = 'and'): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${join} ${words.at(-1)}`

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export const toTenth = (ms: number): number => Math.round(ms * 10) / 10

/** Undefined if the hook runs for every subject. */
export const pattern = (matcher: Matcher): string | undefined =>
  matcher.kind === 'all' ? undefined : visible(matcher.text)

export type Said =
  | 'deny'
  | 'ask'
  | 'allow'
  | 'no decision'
  | 'answered'
  | 'silent'
  | 'failed open'
  | 'failed closed'
  | 'failed'
  | 'observes'

export const saidBy = (run: Run, verdict: Verdict, spec: EventSpec): Said =>
  run.hook.mode === 'observe' ? 'observes' : ownWord(run, verdict.deciders.includes(run), spec)

/** The decision of the hook, whether or not it had an effect. */
export function ownWord({ outcome }: Run, decides: boolean, { gate }: EventSpec): Said {
  const isGate = gate !== 'none'
  if (outcome.kind === 'silent') return 'silent'
  if (outcome.kind === 'failed') {
    if (!isGate) return 'failed'
    return decides ? 'failed closed' : 'failed open'
  }
  const { permission, continue: goesOn } = outcome.answer
  if (isGate && permission) return permission
  if (isGate && goesOn !== undefined) return goesOn ? 'allow' : 'deny'
  return isGate || Object.keys(outcome.answer).length === 0 ? 'no decision' : 'answered'
}

/** What a hook in audit mode did, and what it would have done. */
export interface Watched {
  readonly decision: Decision
  readonly outcome: Outcome['kind']
  /** The fields of its response. */
  readonly fields: readonly string[]
  /** Its message, or why it failed. */
  readonly told: string
}

const DECIDING: ReadonlySet<string> = new Set(['permission', 'continue', 'user_message', 'agent_message'])

/** `would deny: "not on Fridays"`. */
export function wouldWords({ decision, outcome, fields, told }: Watched): string {
  const given = fields.filter(field => !DECIDING.has(field))
  const would = [
    ...(decision === 'abstain' ? [] : [decision]),
    ...(given.length > 0 ? [`give ${given.join(', ')}`] : []),
  ]
  const does = would.length > 0 ? `would ${would.join(' and ')}` : ''
  const head = outcome === 'failed' ? `${does === '' ? '' : `${does}, as it `}failed` : does
  return [head || (outcome === 'silent' ? 'silent' : 'no decision'), told]
    .filter(text => text !== '')
    .join(': ')
}

export const wouldBe = (run: Run, { observed }: Verdict): Decision =>
  observed.find(one => one.run === run)?.decision ?? 'abstain'

/** The most informative field of an event, in order of preference. */
const TELLING = ['tool_name', 'command', 'file_path', 'prompt', 'subagent_type', 'text', 'status']
const ALSO_TELLING = ['reason', 'trigger', 'composer_mode']

/** The subject of an event as it was written: the command, the file, the tool with its input. */
export function aboutWords(fields: Readonly<Record<string, unknown>>): string | undefined {
  const name = [...TELLING, ...ALSO_TELLING].find(field => typeof fields[field] === 'string')
  if (name === undefined) return undefined
  const input = name === 'tool_name' && fields.tool_input !== undefined ? ` ${inJson(fields.tool_input)}` : ''
  return `${fields[name]}${input}`
}

const inJson = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** "the tool name". */
export const subjectWords = (subject: EventSpec['subject']): string => {
  if ('field' in subject) return `the ${subject.field.replaceAll('_', ' ')}`
  return 'word' in subject ? `the word ${subject.word}` : 'anything'
}

/** Why a hook would be started. */
export function whyWords({ hook, why }: Planned, spec: EventSpec, profile: Profile): string {
  const found = pattern(hook.matcher)
  switch (why) {
    case 'all':
      if (found === undefined) return 'it has no matcher'
      if (!profile.config.keys.includes('matcher')) return `${profile.name} does not support matchers`
      return 'this event has no subject for matchers'
    case 'matched':
      return `the pattern ${found} is found in ${subjectWords(spec.subject)}`
    case 'matcher-slow':
      return `the pattern ${found} takes too long, and on a permission event such a hook always runs`
    case 'bad-matcher':
      return `the pattern ${found} cannot be compiled, and on a permission event such a hook always runs`
  }
}

/** Why a hook was not started. */
export function skipWords(
  reason: SkipReason,
  matcher: Matcher,
  { subject }: EventSpec,
  profile: Profile,
): string {
  const found = pattern(matcher) ?? ''
  switch (reason) {
    case 'matcher':
      return matcher.kind === 'never'
        ? `the pattern ${found} names a tool that does not exist here`
        : `the pattern ${found} is not found in ${subjectWords(subject)}`
    case 'matcher-slow':
      return `the pattern ${found} takes too long, and such a hook runs only on permission events`
    case 'bad-matcher':
      return `the pattern ${found} cannot be compiled, and such a hook runs only on permission events`
    case 'untrusted':
      return 'not trusted'
    case 'first-only':
      return `${profile.name} runs only the first hook of a file`
    case 'loop-limit':
      return `${profile.name} runs no hook after five follow-ups in a row`
    case 'not-in-version':
      return `${profile.name} does not have it`
    case 'not-needed':
      return `${profile.name} stops at the first answer`
    case 'background':
      return 'runs in the background, and nothing waits for it'
  }
}

const NOISE = /^(?:Node\.js v\d|\s|\^|[}\])])/
const ERROR_LINE = /^(?:[\w.$]*(?:Error|Exception)\b|.*\berror:)/i

/** The line of stderr with the cause: in a stack trace the error, not the last frame. */
export function mainLine(stderr: string): string {
  const all = stderr.split(/[\r\n]+/).filter(line => line.trim() !== '')
  const telling =
    all.findLast(line => ERROR_LINE.test(line)) ?? all.findLast(line => !NOISE.test(line)) ?? all.at(-1)
  return telling === undefined ? '' : oneLine(telling)
}

/** `exit 1: ModuleNotFoundError: requests`. */
export function failureWords(run: Run): string {
  const { outcome, exit } = run
  if (outcome.kind === 'silent' || !outcome.failure) return ''
  const { code, message } = outcome.failure
  const told = mainLine(exit.stderr)
  const head = code === 'run/exit' ? `exit ${exit.code}` : oneLine(message).replace(/\.$/, '')
  return told === '' ? head : `${head}: ${told}`
}

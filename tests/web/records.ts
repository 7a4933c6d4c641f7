// Generated logs in the engine's format, of any length and with any content.

import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type Record = { readonly [name: string]: unknown }

const SUBJECTS = [
  'git push --force origin main',
  'npm test -- --run',
  'terraform apply -auto-approve',
  'rm -rf build',
  'git status',
]
const HOOKS = ['guard-git.ts', 'audit.sh', 'policy.sh', 'notify.py']
const SOURCES = ['enterprise', 'project', 'user']

/** The run of this number in a log, at a time. */
export function record(number: number, at: number, more: Record = {}): Record {
  const id = `${at.toString(36).padStart(9, '0')}-${(number % 36 ** 4).toString(36).padStart(4, '0')}-t`
  const kind = number % 10
  const failed = kind === 9
  const permission = failed ? null : kind === 4 ? 'deny' : kind === 6 ? 'ask' : kind === 2 ? null : 'allow'
  return {
    id,
    event_id: id,
    time: new Date(at).toISOString(),
    event: 'beforeShellExecution',
    profile: 'holdfast',
    source: SOURCES[number % SOURCES.length],
    hook: HOOKS[number % HOOKS.length],
    file: '.cursor/hooks.json',
    line: 9,
    conversation_id: `conversation-${number % 40}`,
    generation_id: null,
    request: { command: `${SUBJECTS[number % SUBJECTS.length]} # ${number}`, cwd: '/repo' },
    response: permission
      ? { permission, user_message: permission === 'deny' ? 'Not here.' : undefined }
      : null,
    outcome: failed ? 'failed' : permission ? 'answered' : 'silent',
    permission,
    failure: failed ? 'run/exit' : null,
    message: failed ? 'exit 1' : null,
    exit_code: failed ? 1 : 0,
    signal: null,
    duration_ms: 4 + (number % 97),
    stderr: failed ? 'ModuleNotFoundError: requests' : '',
    notes: [],
    failed_open: failed,
    verdict: { permission: permission ?? 'allow', continue: null },
    redacted: [],
    ...more,
  }
}

const asLines = (records: readonly Record[]) => records.map(each => `${JSON.stringify(each)}\n`).join('')

export function writeLog(file: string, records: readonly Record[]): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '')
  // In parts: the text of a hundred thousand records is larger than some functions accept.
  for (let at = 0; at < records.length; at += 10_000)
    appendFileSync(file, asLines(records.slice(at, at + 10_000)))
}

export const addToLog = (file: string, records: readonly Record[]): void => {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, asLines(records))
}

/** So many runs, spread over the last hours, oldest first. */
export function manyRuns(count: number, hours = 23, until = Date.now()): Record[] {
  const every = (hours * 3_600_000) / count
  return Array.from({ length: count }, (_, index) =>
    record(index, Math.floor(until - (count - index) * every)),
  )
}

interface Step {
  readonly event: string
  readonly request: Record
  /** Since the session began. */
  readonly at: number
  readonly runs: readonly Record[]
  /** The id of a subagent. */
  readonly inside?: string
}

/** One conversation: its events in order, with the hooks that ran for each. */
export function conversation(id: string, began: number, steps: readonly Step[]): Record[] {
  let number = 0
  return steps.flatMap(({ event, request, at, runs, inside }) => {
    const first = record(++number, began + at)
    const permission = STRICTEST.find(each => runs.some(run => run.permission === each)) ?? null
    return runs.map((run, index) => ({
      ...first,
      id: index === 0 ? first.id : `${first.id}${index}`,
      event_id: first.id,
      event,
      conversation_id: inside ?? id,
      request: {
        ...request,
        conversation_id: inside ?? id,
        ...(inside ? { parent_conversation_id: id } : {}),
      },
      response: null,
      outcome: 'silent',
      permission: null,
      failure: null,
      message: null,
      exit_code: 0,
      stderr: '',
      failed_open: false,
      ...run,
      verdict: { permission, continue: null },
    }))
  })
}

const STRICTEST = ['deny', 'ask', 'allow']

const said = (permission: string, hook: string, ms: number, source = 'project'): Record => ({
  hook,
  source,
  duration_ms: ms,
  outcome: 'answered',
  permission,
  response: { permission, ...(permission === 'deny' ? { user_message: 'Force pushes are blocked.' } : {}) },
})
const silent = (hook: string, ms: number, source = 'enterprise'): Record => ({
  hook,
  source,
  duration_ms: ms,
})
const failed = (hook: string, ms: number): Record => ({
  hook,
  source: 'user',
  duration_ms: ms,
  outcome: 'failed',
  failure: 'run/exit',
  message: 'exit 1: ModuleNotFoundError: requests',
  exit_code: 1,
  stderr: 'ModuleNotFoundError: requests',
  failed_open: true,
})

/** A prompt, a test run, an edit, a subagent with a question, a denied push, and a follow-up. */
export function releaseSession(id: string, began: number): Record[] {
  const inside = `${id}-agent`
  const agent = { subagent_type: 'writer', task: 'changelog', subagent_id: inside, tool_call_id: inside }
  const steps: Step[] = [
    {
      at: 62,
      event: 'beforeSubmitPrompt',
      request: { prompt: 'Fix the failing release and push it' },
      runs: [silent('secrets-scan.ts', 62, 'project')],
    },
    {
      at: 3938,
      event: 'beforeShellExecution',
      request: { command: 'npm test -- --run', cwd: '/repo' },
      runs: [said('allow', 'guard-git.ts', 38), failed('notify.py', 12)],
    },
    {
      at: 8150,
      event: 'afterShellExecution',
      request: { command: 'npm test -- --run', output: '', duration: 4212 },
      runs: [silent('log.sh', 5)],
    },
    {
      at: 8306,
      event: 'afterFileEdit',
      request: { file_path: '/repo/src/release.ts', edits: [] },
      runs: [silent('format.sh', 6, 'user')],
    },
    { at: 8620, event: 'subagentStart', request: agent, runs: [silent('audit.sh', 8)] },
    {
      at: 12_090,
      event: 'beforeShellExecution',
      request: { command: 'terraform apply -auto-approve', cwd: '/repo' },
      inside,
      runs: [said('ask', 'policy.sh', 90, 'enterprise')],
    },
    {
      at: 13_200,
      event: 'subagentStop',
      request: { ...agent, status: 'completed' },
      runs: [silent('audit.sh', 4)],
    },
    {
      at: 13_641,
      event: 'beforeShellExecution',
      request: { command: 'git push --force origin main', cwd: '/repo' },
      runs: [silent('audit.sh', 4), said('deny', 'guard-git.ts', 38)],
    },
    {
      at: 18_400,
      event: 'stop',
      request: { status: 'completed', loop_count: 0 },
      runs: [silent('loop-check.ts', 60, 'project')],
    },
  ]
  return conversation(id, began, steps)
}

/** So many spans, half of them hooks. Each conversation starts the next one, to this depth. */
export function deepConversation(id: string, spans: number, deep: number, began: number): Record[] {
  const each = Math.round(spans / 2 / deep)
  const records: Record[] = []
  for (let level = 0, at = began; level < deep; level++) {
    const own = level === 0 ? id : `${id}-${level}`
    const inside =
      level === 0
        ? {}
        : {
            parent_conversation_id: level === 1 ? id : `${id}-${level - 1}`,
            subagent_id: `${id}-agent-${level}`,
          }
    for (let step = 0; step < each; step++, at += 20) {
      const isLast = step === each - 1
      const agent = {
        subagent_type: 'explore',
        task: `level ${level}`,
        subagent_id: `${id}-agent-${level + 1}`,
      }
      records.push(
        record(level * each + step, at, {
          event: isLast ? 'subagentStart' : 'beforeReadFile',
          conversation_id: own,
          request: {
            conversation_id: own,
            ...inside,
            ...(isLast ? agent : { file_path: `/repo/file-${level}-${step}` }),
          },
        }),
      )
    }
  }
  return records
}

/** No end, no duration, a negative duration, a clock that was set back, and a step that is longer than its parent. */
export function oddSession(id: string, began: number): Record[] {
  const ran = [silent('log.sh', 0)]
  const shell = (at: number, event: string, command: string, more: Record = {}): Step => ({
    at,
    event,
    request: { command, ...more },
    runs: ran,
  })
  const tool = { tool_name: 'holder', tool_use_id: 'holder' }
  return conversation(id, began, [
    shell(0, 'beforeShellExecution', 'never-ends'),
    shell(1000, 'beforeShellExecution', 'zero'),
    shell(1000, 'afterShellExecution', 'zero', { duration: 0 }),
    shell(9000, 'beforeShellExecution', 'set-back'),
    shell(2000, 'afterShellExecution', 'set-back', { duration: 10 }),
    shell(3000, 'afterShellExecution', 'negative', { duration: -700 }),
    { at: 20_000, event: 'preToolUse', request: tool, runs: ran },
    shell(20_050, 'afterShellExecution', 'outside', { duration: 5000 }),
    { at: 20_100, event: 'postToolUse', request: tool, runs: ran },
  ])
}

// Logs as the engine writes them, made up: as long and as odd as a test wants.

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

/** The number-th run of a log, at a time. */
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
  // In pieces: a text of a hundred thousand records is larger than some would like.
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

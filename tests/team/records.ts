// Records as a device sends them, and a team that takes them.

import type { RunRecord } from '@holdfast/hooks'
import { type OpenTeam, openTeam } from '../../packages/server/src/open-team.js'
import { type Batch, packed, type Stored } from '../../packages/server/src/records/batch.js'
import { openSecrets } from '../../packages/server/src/secrets.js'

export const SILENT = { info() {}, warn() {}, error() {} }
export const HOUR = 3_600_000
export const DAY = 86_400_000

let sequence = 0

/** A record as the engine writes it, at this time. */
export const idAt = (at: number): string => {
  sequence = (sequence + 1) % 36 ** 4
  const parts = [at.toString(36).padStart(9, '0'), sequence.toString(36).padStart(4, '0'), `x${sequence}`]
  return parts.join('-')
}

export type SentRecord = RunRecord & { mode?: string; release?: number; revision?: number; hook_id?: number }

export function recordAt(at: number, more: Partial<Record<keyof SentRecord, unknown>> = {}): SentRecord {
  const id = idAt(at)
  return {
    id,
    event_id: id,
    time: new Date(at).toISOString(),
    event: 'beforeShellExecution',
    profile: 'latest',
    source: 'team',
    hook: './guard.sh',
    file: '/home/ada/.cursor/hooks.json',
    line: 4,
    conversation_id: 'c1',
    generation_id: 'g1',
    request: { command: 'git status', cwd: '/project' },
    response: { permission: 'allow' },
    outcome: 'answered',
    permission: 'allow',
    failure: null,
    message: null,
    exit_code: 0,
    signal: null,
    duration_ms: 12.5,
    stderr: '',
    notes: [],
    failed_open: false,
    verdict: { permission: 'allow', continue: null },
    redacted: [],
    ...more,
  } as SentRecord
}

export const bytesOf = (record: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(record))

export const batchOf = (records: readonly (unknown | Uint8Array)[], more: Partial<Batch> = {}): Batch => {
  const bytes = records.map(record => (record instanceof Uint8Array ? record : bytesOf(record)))
  const size = bytes.reduce((sum, one) => sum + one.length + 1, 0)
  return { deviceId: 'd1', segment: 's1', from: 0, to: size, gaps: [], ...packed(bytes), ...more }
}

export const openTestTeam = (database: string, now: () => number, more: object = {}): Promise<OpenTeam> =>
  openTeam({
    database,
    secrets: openSecrets(Buffer.alloc(32, 7)),
    url: 'http://127.0.0.1',
    log: SILENT,
    now,
    ...more,
  })

/** The file of a device, sent from where the last batch ended. */
export function fileOf(opened: OpenTeam, deviceId: string, segment = 's1') {
  let from = 0
  return {
    async send(records: readonly unknown[], more: Partial<Batch> = {}): Promise<Stored> {
      const batch = batchOf(records, { deviceId, segment })
      const sent = { ...batch, from, to: from + batch.to, ...more }
      from = sent.to
      return opened.team.records.store(sent, opened.team.now())
    },
  }
}

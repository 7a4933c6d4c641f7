// Records of devices, for the pages to show.

import { AuditService } from '@holdfast/team'
import { recordAt, type SentRecord } from '../team/records.js'
import type { TestTeam } from './team.js'

/** Runs of this moment, in this order. */
export const justNow = (runs: readonly Partial<Record<keyof SentRecord, unknown>>[]): SentRecord[] =>
  runs.map((more, index) => recordAt(Date.now() - (runs.length - index) * 10, more))

const COMMANDS = [
  'git push --force origin main',
  'rm -rf build',
  'npm test -- --run',
  'terraform apply',
  'git status',
]
const MINUTE = 60_000

/** A day of work, newest last: mostly allowed, some denied or asked, a few failures. */
export function aDayOfRecords(count: number, now = Date.now(), more: Partial<SentRecord> = {}): SentRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const at = now - MINUTE - Math.floor(((count - index) * 22 * 60 * MINUTE) / count)
    const command = COMMANDS[index % COMMANDS.length]!
    const base = { request: { command, cwd: '/project' }, duration_ms: 4 + ((index * 37) % 190), ...more }
    if (index % 11 === 3) return denied(at, base)
    if (index % 17 === 5)
      return recordAt(at, {
        ...base,
        permission: 'ask',
        response: { permission: 'ask', user_message: 'Apply to production?' },
        verdict: { permission: 'ask', continue: null },
      })
    if (index % 29 === 7)
      return recordAt(at, {
        hook: './notify.py',
        source: 'user',
        ...base,
        outcome: 'failed',
        permission: null,
        response: null,
        failure: 'exit_code',
        message: 'exit 1: ModuleNotFoundError: requests',
        exit_code: 1,
        stderr: "ModuleNotFoundError: No module named 'requests'\n",
        failed_open: true,
        verdict: { permission: null, continue: null },
      })
    return recordAt(at, base)
  })
}

export const denied = (at: number, more: Partial<SentRecord> = {}): SentRecord =>
  recordAt(at, {
    ...more,
    permission: 'deny',
    response: {
      permission: 'deny',
      user_message: 'Force pushes are blocked here.',
      agent_message: 'Open a pull request instead.',
    },
    verdict: { permission: 'deny', continue: null },
    redacted: ['request.prompt: left out (prompts)'],
  })

/** Until the server counts this many. */
export async function untilCounted(team: TestTeam, count: number): Promise<void> {
  const audit = team.owner.as(AuditService)
  for (let tries = 0; tries < 100; tries++) {
    if ((await audit.countRecords({})).total >= count) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`The server did not count ${count} records.`)
}

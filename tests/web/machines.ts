// Devices, hooks and records for the pages to show, by the same calls that real ones make.

import { randomBytes } from 'node:crypto'
import { AuditService, DeviceService, DevicesService, HooksService, RolloutService } from '@holdfast/team'
import { bytesOf, recordAt, type SentRecord } from '../team/records.js'
import { callerOf } from '../team/server.js'
import type { TestTeam } from './team.js'

export interface TestDevice {
  readonly id: string
  readonly name: string
  send(records: readonly SentRecord[]): Promise<void>
  report(release: number, more?: object): Promise<void>
}

/** One machine that comes in by a key of the owner's. */
export async function enrolDevice(
  team: TestTeam,
  name: string,
  { group = '', system = 'Linux' }: { group?: string; system?: string } = {},
): Promise<TestDevice> {
  const { secret } = await team.owner.as(DevicesService).createEnrolmentKey({ note: name, group, maxUses: 1 })
  const id = randomBytes(16).toString('hex')
  const facts = { name, operatingSystem: system, osVersion: '6.1', clientVersion: '0.1.0' }
  const { token } = await callerOf(
    team.url,
    null,
  )(DeviceService).enrol({ proof: { case: 'enrolmentKey', value: secret }, deviceId: id, facts })
  const device = callerOf(team.url, token)(DeviceService)
  let from = 0
  return {
    id,
    name,
    async send(records) {
      for (let at = 0; at < records.length; at += 200) {
        const bytes = records.slice(at, at + 200).map(bytesOf)
        const to = from + bytes.reduce((sum, one) => sum + one.length + 1, 0)
        const { rejected } = await device.sendRecords({ segment: 's1', from, to, records: bytes })
        if (rejected.length > 0) throw new Error(`a record was refused: ${rejected[0]!.message}`)
        from = to
      }
    },
    async report(release, more = {}) {
      await device.report({ facts, release, state: 'in_sync', ...more })
    },
  }
}

/** A hook in a release, everywhere at once unless said otherwise. */
export async function publishHook(
  team: TestTeam,
  name = 'No pushes',
  { skipRings = true, id = 0 }: { skipRings?: boolean; id?: number } = {},
): Promise<{ hookId: number; release: number }> {
  const hooks = team.owner.as(HooksService)
  const baseVersion = id === 0 ? 0 : (await hooks.getHook({ id })).hook!.draftVersion
  const scriptContent = `#!/bin/sh\n# ${randomBytes(4).toString('hex')}\necho '{}'\n`
  const { hook } = await hooks.saveDraft({
    id,
    name,
    baseVersion,
    draft: { hookStep: 'beforeShellExecution', scriptName: 'no-pushes.sh', scriptContent, isActive: true },
  })
  await hooks.checkDraft({ id: hook!.id })
  const { release } = await team.owner.as(RolloutService).publish({
    drafts: [{ hookId: hook!.id, draftVersion: hook!.draftVersion }],
    note: `${name}, once more`,
    skipRings,
  })
  return { hookId: hook!.id, release: release!.number }
}

const COMMANDS = [
  'git push --force origin main',
  'rm -rf build',
  'npm test -- --run',
  'terraform apply',
  'git status',
]
const MINUTE = 60_000

/** A day of work, newest last: mostly allowed, some denied and asked about, a few that failed. */
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

// Devices and hooks of a test team, created by real calls: the data of the pages has taken its usual path.

import { randomBytes } from 'node:crypto'
import type { MessageInitShape } from '@bufbuild/protobuf'
import {
  DeviceService,
  DevicesService,
  type Hook,
  HooksService,
  type Release,
  RolloutService,
  type TeamHookSchema,
} from '@holdfast/team'
import { bytesOf, type SentRecord } from '../team/records.js'
import { callerOf } from '../team/server.js'
import type { Person, TestTeam } from './team.js'

export const EVENT = 'beforeShellExecution'

export const DENY_PUSH = `#!/bin/sh
# Denies forced pushes.
case "$(cat)" in
  *"push --force"*) echo '{"permission":"deny","user_message":"No forced pushes in this team."}' ;;
  *) echo '{}' ;;
esac
`
export const ALLOW_ALL = `#!/bin/sh
cat > /dev/null
echo '{}'
`

export interface TestDevice {
  readonly id: string
  readonly name: string
  send(records: readonly SentRecord[]): Promise<void>
  report(release: number, more?: object): Promise<void>
}

/** A device that enrols with a key of the owner. */
export async function enrol(
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
      for (let at = 0; at < records.length; at += 1000) {
        const bytes = records.slice(at, at + 1000).map(bytesOf)
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

export type Content = MessageInitShape<typeof TeamHookSchema>

/** A draft, by any author. */
export async function draft(by: Person, name: string, content: Content = {}, id = 0): Promise<Hook> {
  const hooks = by.as(HooksService)
  const base = id === 0 ? 0 : (await hooks.getHook({ id })).hook!.draftVersion
  const script = `${name.toLowerCase().replace(/\W+/g, '-')}.sh`
  const { hook } = await hooks.saveDraft({
    id,
    name,
    baseVersion: base,
    draft: { hookStep: EVENT, scriptName: script, scriptContent: DENY_PUSH, isActive: true, ...content },
  })
  return hook!
}

/** Checked and published. */
export async function publish(
  by: Person,
  hook: Hook,
  { note = '', skipRings = false }: { note?: string; skipRings?: boolean } = {},
): Promise<Release> {
  await by.as(HooksService).checkDraft({ id: hook.id })
  const { release } = await by.as(RolloutService).publish({
    drafts: [{ hookId: hook.id, draftVersion: hook.draftVersion }],
    note,
    skipRings,
  })
  return release!
}

/** A hook in a release, for all devices at once unless given otherwise. */
export async function publishHook(
  { owner }: TestTeam,
  name = 'No pushes',
  { skipRings = true, id = 0 }: { skipRings?: boolean; id?: number } = {},
): Promise<{ hookId: number; release: number }> {
  const scriptContent = `${ALLOW_ALL}# ${randomBytes(4).toString('hex')}\n`
  const hook = await draft(owner, name, { scriptContent }, id)
  const release = await publish(owner, hook, { note: `${name}, once more`, skipRings })
  return { hookId: hook.id, release: release.number }
}

/** The devices of the first ring: only they count until the release advances. */
export async function canariesOf(
  { server }: TestTeam,
  release: number,
  devices: readonly TestDevice[],
): Promise<readonly TestDevice[]> {
  const members = await server.team.store.db
    .selectFrom('ring_members')
    .select('device_id')
    .where('release', '=', release)
    .where('ring', '=', 0)
    .execute()
  return devices.filter(({ id }) => members.some(({ device_id }) => device_id === id))
}

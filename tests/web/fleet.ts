// Devices and hooks of a test team, all by the real calls: what is on the pages has come the way that it comes in life.

import { createHash, randomBytes } from 'node:crypto'
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
import { bytesOf, recordAt, type SentRecord } from '../team/records.js'
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

export interface FleetDevice {
  readonly id: string
  readonly name: string
  /** It has taken this release. */
  has(release: number): Promise<void>
  send(...records: readonly Partial<Record<keyof SentRecord, unknown>>[]): Promise<void>
}

export async function enrol(
  { owner, url }: TestTeam,
  name: string,
  { group = '' }: { group?: string } = {},
): Promise<FleetDevice> {
  const devices = owner.as(DevicesService)
  const { secret } = await devices.createEnrolmentKey({ note: name, maxUses: 1, hours: 1, group })
  const id = randomBytes(16).toString('hex')
  const facts = { name, operatingSystem: 'Linux', osVersion: '6.1', clientVersion: '0.1.0' }
  const { token } = await callerOf(
    url,
    null,
  )(DeviceService).enrol({
    proof: { case: 'enrolmentKey', value: secret },
    deviceId: id,
    facts,
  })
  const device = callerOf(url, token)(DeviceService)
  let sent = 0
  return {
    id,
    name,
    async has(release) {
      const hash = createHash('sha256').update(String(release)).digest('hex')
      await device.report({ facts, release, releaseHash: hash, trustVersion: 1, state: 'in_sync' })
    },
    async send(...records) {
      const bytes = records.map((more, index) =>
        bytesOf(recordAt(Date.now() - (records.length - index) * 10, more)),
      )
      const size = bytes.reduce((sum, one) => sum + one.length + 1, 0)
      await device.sendRecords({ segment: `${id}-${++sent}`, from: 0, to: size, records: bytes })
    },
  }
}

export type Content = MessageInitShape<typeof TeamHookSchema>

/** A draft, by whoever writes it. */
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

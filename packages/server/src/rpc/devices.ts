// DevicesService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DevicesService } from '@holdfast/team'
import { ACTOR, type Person } from '../access/actor.js'
import { after, paged, sizeOf } from '../page.js'
import { countDevices } from '../people/device-counts.js'
import { type Found, findDevice, listDevices, type Rules, revokeDevice, setGroup } from '../people/devices.js'
import { createKey, listKeys, revokeKey } from '../people/enrolment-keys.js'
import { Refusal } from '../refusal.js'
import { DEVICE_STATES, type DeviceState } from '../store/device-states.js'
import type { EnrolmentKeyRow } from '../store/schema.js'
import type { Team } from '../team.js'

export const devicesRpc = (team: Team, rules: Rules): ServiceImpl<typeof DevicesService> => ({
  async listDevices(request) {
    const { query, group, release } = request
    const size = sizeOf(request)
    const filter = { query: query.trim().slice(0, 200), group, release, state: toState(request.state) }
    const page = { size, after: after(request, ['', ''] as readonly [string, string]) }
    const { found, total } = await listDevices(team, rules, filter, page)
    const { rows, nextPageToken } = paged(found, size, ({ name, id }) => [name, id])
    return { devices: rows.map(toDevice), nextPageToken, total }
  },

  async countDevices() {
    const { total, ...kinds } = await countDevices(team, rules)
    const { states, groups, releases, operatingSystems, clientVersions } = kinds
    return {
      total,
      states: [...states],
      groups: [...groups],
      releases: [...releases],
      operatingSystems: [...operatingSystems],
      clientVersions: [...clientVersions],
    }
  },

  async getDevice({ id }) {
    return { device: toDevice(await findDevice(team, rules, id)) }
  },

  async setDeviceGroup({ id, group }, { values }) {
    await setGroup(team, values.get(ACTOR) as Person, id, group)
    return { device: toDevice(await findDevice(team, rules, id)) }
  },

  async revokeDevice({ id, reason }, { values }) {
    await revokeDevice(team, values.get(ACTOR) as Person, id, reason)
    return {}
  },

  async listEnrolmentKeys(request) {
    const size = sizeOf(request)
    const found = await listKeys(team, size + 1, after(request, [0, ''] as readonly [number, string]))
    const { rows, nextPageToken } = paged(found, size, row => [row.created_at, row.id])
    return { keys: rows.map(toKey), nextPageToken }
  },

  async createEnrolmentKey(request, { values }) {
    const { key, secret } = await createKey(team, values.get(ACTOR) as Person, request)
    return { key: toKey(key), secret }
  },

  async revokeEnrolmentKey(request, { values }) {
    return { devicesRevoked: await revokeKey(team, values.get(ACTOR) as Person, request) }
  },
})

function toState(text: string): DeviceState | '' {
  const state = ['' as const, ...DEVICE_STATES].find(one => one === text)
  if (state !== undefined) return state
  throw new Refusal(
    'invalid',
    `The state "${text.slice(0, 40)}" is not known. Expected ${DEVICE_STATES.join(', ')}.`,
  )
}

const time = (at: number | null): string => (at === null || at === 0 ? '' : new Date(at).toISOString())

const toDevice = (row: Found) => ({
  id: row.id,
  facts: {
    name: row.name,
    operatingSystem: row.operating_system,
    osVersion: row.os_version,
    clientVersion: row.client_version,
  },
  group: row.group,
  enrolledAt: time(row.enrolled_at),
  enrolledBy: row.enrolled_by,
  lastSeenAt: time(row.last_seen_at),
  release: row.release,
  wantedRelease: row.wanted,
  state: row.shown_state,
  ring: row.ring,
  problems: JSON.parse(row.problems) as { code: string; message: string; at: string }[],
  queued: row.queued,
  tokenExpiresAt: time(row.token_expires_at),
  looksCloned: row.looks_cloned === 1,
})

const toKey = (row: EnrolmentKeyRow) => ({
  id: row.id,
  note: row.note,
  group: row.group,
  uses: row.uses,
  maxUses: row.max_uses,
  createdAt: time(row.created_at),
  createdBy: row.created_by,
  expiresAt: time(row.expires_at),
  revoked: row.revoked_at !== null,
})

// DevicesService: translates messages and calls domain functions.

import type { ServiceImpl } from '@connectrpc/connect'
import type { DevicesService, HookOnDevice } from '@holdfast/team'
import { ACTOR, type Person } from '../access/actor.js'
import { after, paged, pageOf, sizeOf } from '../page.js'
import { deviceOf, revokeDevice, setGroup, setOwner } from '../people/devices.js'
import { createKey, revokeKey } from '../people/enrolment-keys.js'
import { RequestError } from '../request-error.js'
import { bringing } from '../rollout/live.js'
import { DEVICE_STATES, type DeviceState, type Rules } from '../store/device-states.js'
import {
  countDevices,
  countOwners,
  type FoundDevices,
  type HookFilter,
  listDevices,
} from '../store/devices.js'
import { pageOfKeys } from '../store/enrolment-keys.js'
import { releasesHolding } from '../store/live.js'
import type { Db } from '../store/open.js'
import type { EnrolmentKeyRow } from '../store/schema.js'
import type { Team } from '../team.js'

export const devicesRpc = (team: Team, rules: Rules): ServiceImpl<typeof DevicesService> => ({
  async listDevices(request) {
    const { query, group, release, ring, owner } = request
    const size = sizeOf(request)
    const filter = {
      query: query.trim().slice(0, 200),
      group,
      release,
      ring,
      owner,
      state: toState(request.state),
      hook: request.hook ? await hookFilter(team.records.reader, request.hook) : null,
    }
    const page = { size, after: after(request, ['', ''] as readonly [string, string]) }
    const { found, total } = await listDevices(team.records.reader, await rules(), filter, page)
    const { rows, nextPageToken } = paged(found, size, ({ name, id }) => [name, id])
    return { devices: rows.map(toDevice), nextPageToken, total }
  },

  async countDevices() {
    const { total, ...kinds } = await countDevices(team.records.reader, await rules())
    const { states, groups, releases, operatingSystems, clientVersions } = kinds
    return {
      total,
      states: [...states],
      groups: [...groups],
      releases: [...releases],
      operatingSystems: [...operatingSystems],
      clientVersions: [...clientVersions],
      owners: await countOwners(team.records.reader),
    }
  },

  async getDevice({ id }) {
    return { device: toDevice(await deviceOf(team, rules, id)) }
  },

  async setDeviceGroup({ id, group }, { values }) {
    await setGroup(team, values.get(ACTOR) as Person, id, group)
    return { device: toDevice(await deviceOf(team, rules, id)) }
  },

  async setDeviceOwner({ id, owner }, { values }) {
    await setOwner(team, values.get(ACTOR) as Person, id, owner)
    return { device: toDevice(await deviceOf(team, rules, id)) }
  },

  async revokeDevice({ id, reason }, { values }) {
    await revokeDevice(team, values.get(ACTOR) as Person, id, reason)
    return {}
  },

  async listEnrolmentKeys(request) {
    const { rows, nextPageToken } = await pageOf(
      request,
      [0, ''] as readonly [number, string],
      (last, limit) => pageOfKeys(team.store.db, last, limit),
      row => [row.created_at, row.id],
    )
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

async function hookFilter(db: Db, { hookId, revision, lacks }: HookOnDevice): Promise<HookFilter> {
  return { bringing: bringing(await releasesHolding(db, hookId), revision), lacks }
}

function toState(text: string): DeviceState | '' {
  const state = ['' as const, ...DEVICE_STATES].find(one => one === text)
  if (state !== undefined) return state
  throw new RequestError(
    'invalid',
    `The state "${text.slice(0, 40)}" is not known. Expected ${DEVICE_STATES.join(', ')}.`,
  )
}

const time = (at: number | null): string => (at === null || at === 0 ? '' : new Date(at).toISOString())

const toDevice = (row: FoundDevices) => ({
  id: row.id,
  facts: {
    name: row.name,
    operatingSystem: row.operating_system,
    osVersion: row.os_version,
    clientVersion: row.client_version,
  },
  group: row.group,
  owner: row.owner,
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

// The poll that finds nothing new, which is nearly every one: answered from memory, before anything is parsed.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { etagFor } from '../rollout/delivery.js'
import type { Situations } from '../rollout/situation.js'
import type { DeviceRow } from '../store/schema.js'
import type { Team } from '../team.js'

const PATH = '/holdfast.team.v1.DeviceService/GetTeamHooks'
/** A pin can end by the clock alone. */
const FRESH_MS = 10_000

export interface Polls {
  /** True when it was answered: the device has what it shall have. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<boolean>
}

export interface PollOptions {
  readonly situations: Situations
  /** The device that asks; undefined for whoever is none. From memory whenever it can be. */
  identify(request: IncomingMessage): string | undefined | Promise<string | undefined>
  seen(deviceId: string): void
}

type Judged = Pick<DeviceRow, 'id' | 'place' | 'group' | 'operating_system'>

export function openPolls(team: Team, { situations, identify, seen }: PollOptions): Polls {
  const devices = new Map<string, Judged>()
  const etags = new Map<string, { etag: string; epoch: number; until: number }>()
  team.hub.subscribe(topic => {
    if (topic !== 'releases' && topic !== 'tokens') return
    devices.clear()
    etags.clear()
  })

  async function etagOf(id: string): Promise<string | undefined> {
    const now = team.now()
    const epoch = team.hub.epoch('releases')
    const kept = etags.get(id)
    if (kept && kept.epoch === epoch && kept.until > now) return kept.etag
    const device = devices.get(id) ?? (await load(id))
    if (!device) return undefined
    const etag = etagFor(device, await situations.current(), now)
    etags.set(id, { etag, epoch, until: now + FRESH_MS })
    return etag
  }
  async function load(id: string): Promise<Judged | undefined> {
    const row = await team.store.db
      .selectFrom('devices')
      .select(['id', 'place', 'group', 'operating_system'])
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    if (row) devices.set(id, row)
    return row
  }

  return {
    async handle(request, response) {
      const wanted = request.headers['if-none-match']
      if (wanted === undefined || request.method !== 'GET' || !request.url?.startsWith(PATH)) return false
      const found = identify(request)
      const id = typeof found === 'object' ? await found : found
      const etag = id === undefined ? undefined : await etagOf(id)
      if (id === undefined || etag === undefined || !isAmong(etag, wanted)) return false
      seen(id)
      response.writeHead(304, { etag })
      response.end()
      return true
    },
  }
}

/** Compared weakly: a proxy that compresses makes a strong tag a weak one. */
function isAmong(etag: string, wanted: string): boolean {
  if (wanted === etag || wanted.trim() === '*') return true
  const next = /[\s,]*(?:W\/)?("[^"]*")\s*(?:,|$)/y
  for (let found = next.exec(wanted); found; found = next.exec(wanted)) if (found[1] === etag) return true
  return false
}

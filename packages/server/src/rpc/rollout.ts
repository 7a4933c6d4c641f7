// RolloutService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { RolloutService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { Refusal } from '../refusal.js'
import { messageOfSeal } from '../rollout/delivery.js'
import { requestEnds, requestsIn } from '../rollout/four-eyes.js'
import { healthOf } from '../rollout/health.js'
import { trustIfSigned } from '../rollout/keys.js'
import { listPins, newestEmergency, pin, setKillSwitch, unpin } from '../rollout/orders.js'
import { publish, rollBack } from '../rollout/publish.js'
import { changesIn, haltedBy, listReleases, releaseOf, sealIn } from '../rollout/releases.js'
import { dealt } from '../rollout/rings.js'
import { setRollout } from '../rollout/set-rollout.js'
import { checked, settingsIn } from '../rollout/settings.js'
import { type HaltCause, signRelease, stepRelease } from '../rollout/steps.js'
import { evidenceOf } from '../rollout/watchman.js'
import type { PinRow, ReleaseRow } from '../store/schema.js'
import type { Team } from '../team.js'
import { timeOf } from './time.js'

export const rolloutRpc = (team: Team): Partial<ServiceImpl<typeof RolloutService>> => {
  const { db } = team.store

  const releaseMessage = async (row: ReleaseRow, withHealth: boolean) => {
    const { rings } = await settingsIn(db)
    return {
      number: row.number,
      hash: row.hash,
      state: row.state,
      ring: row.ring,
      hooks: await changesIn(db, row),
      note: row.note,
      author: row.author,
      at: new Date(row.at).toISOString(),
      expiresAt: new Date(row.expires_at).toISOString(),
      haltedBecause: row.halted_because,
      haltCauses: (JSON.parse(row.halt_causes) as HaltCause[]).map(({ id, ...shown }) => ({
        deviceId: id,
        ...shown,
      })),
      rollsBackTo: row.rolls_back_to ?? 0,
      ringSince: new Date(row.ring_since).toISOString(),
      health: withHealth ? await healthOf(team.store, row, rings, team.now()) : [],
      ...(withHealth ? { evidence: await evidenceOf(team, row), haltedBy: await haltedBy(db, row) } : {}),
    }
  }
  const made = async (row: ReleaseRow) => ({
    release: await releaseMessage(row, false),
    ...(row.state === 'unsigned' ? { unsigned: messageOfSeal(sealIn(row)) } : {}),
  })
  const pinMessage = ({ kind, whom, release, until, reason, by }: PinRow) => ({
    deviceId: kind === 'device' ? whom : '',
    group: kind === 'group' ? whom : '',
    release,
    until: new Date(until).toISOString(),
    reason,
    by,
  })

  return {
    publish: async (request, context) => made(await publish(team, personIn(context), request)),
    rollBack: async (request, context) => made(await rollBack(team, personIn(context), request)),
    async sign({ number, signature }, context) {
      if (!signature) throw new Refusal('invalid', 'signature is missing.')
      return {
        release: await releaseMessage(await signRelease(team, personIn(context), number, signature), false),
      }
    },
    async listReleases(request) {
      const { releases, nextPageToken } = await listReleases(team, request)
      return { releases: await Promise.all(releases.map(row => releaseMessage(row, false))), nextPageToken }
    },
    async getRelease({ number }) {
      const row = await releaseOf(db, number)
      return { release: await releaseMessage(row, true), seal: messageOfSeal(sealIn(row)) }
    },
    advance: async ({ number, fromRing }, context) => ({
      release: await releaseMessage(
        await stepRelease(team, personIn(context), number, 'advance', { fromRing }),
        true,
      ),
    }),
    halt: async ({ number, reason }, context) => ({
      release: await releaseMessage(
        await stepRelease(team, personIn(context), number, 'halt', { reason }),
        true,
      ),
    }),
    resume: async ({ number }, context) => ({
      release: await releaseMessage(await stepRelease(team, personIn(context), number, 'resume'), true),
    }),
    async setKillSwitch({ on, reason, emergency }, context) {
      await setKillSwitch(team, personIn(context), { isOn: on, reason, isEmergency: emergency })
      return { on }
    },
    async getRolloutSettings() {
      const row = await db.selectFrom('team').select(['killed', 'killed_because']).executeTakeFirstOrThrow()
      const { rings, ...settings } = await settingsIn(db)
      const ringOf = [...(await dealt(db, team.now())).values()]
      const { devices } = await db
        .selectFrom('devices')
        .select(({ fn }) => fn.countAll<number>().as('devices'))
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow()
      const emergency = await newestEmergency(team)
      const waiting = await db
        .selectFrom('releases')
        .select('number')
        .where('state', '=', 'unsigned')
        .executeTakeFirst()
      return {
        settings: { ...settings, rings: rings.map(ring => ({ ...ring })) },
        killed: row.killed === 1,
        killedBecause: row.killed_because,
        next: rings.map(({ name }, index) => ({
          ring: name,
          devices: ringOf.filter(ring => ring === index).length,
        })),
        devices: Number(devices),
        waiting: waiting?.number ?? 0,
        requests: (await requestsIn(team)).map(request => ({
          method: request.method,
          subject: request.subject,
          wishJson: request.wish,
          by: request.by,
          at: new Date(request.at).toISOString(),
          expiresAt: new Date(requestEnds(request)).toISOString(),
        })),
        mayKill: (await trustIfSigned(db))?.kill_by_server ?? false,
        ...(emergency ? { emergency: { ...emergency, at: new Date(emergency.at).toISOString() } } : {}),
      }
    },
    async setRolloutSettings({ settings }, context) {
      if (!settings) throw new Refusal('invalid', 'settings is missing.')
      const { rings, soakMinutes, failureLimit, denialLimit, releaseDays, revertDepth, records, fourEyes } =
        settings
      const wanted = checked({
        rings: rings.map(({ name, share }) => ({ name, share })),
        soakMinutes,
        failureLimit,
        denialLimit,
        releaseDays,
        revertDepth,
        records,
        fourEyes,
      })
      await setRollout(team, personIn(context), wanted)
      return { settings: { ...wanted, rings: wanted.rings.map(ring => ({ ...ring })) } }
    },
    async pin({ whom, release, until, reason }, context) {
      if (whom.case === undefined) throw new Refusal('invalid', 'Name a device or a group.')
      const kind = whom.case === 'deviceId' ? 'device' : 'group'
      const row = { kind, whom: whom.value, release, until: timeOf('until', until), reason } as const
      return { pin: pinMessage(await pin(team, personIn(context), row)) }
    },
    async unpin({ deviceId, group }, context) {
      if ((deviceId === '') === (group === '')) throw new Refusal('invalid', 'Name a device or a group.')
      await unpin(team, personIn(context), deviceId === '' ? 'group' : 'device', deviceId || group)
      return {}
    },
    async listPins(request) {
      const { pins, nextPageToken } = await listPins(team, request)
      return { pins: pins.map(pinMessage), nextPageToken }
    },
  }
}

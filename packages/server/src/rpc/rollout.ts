// RolloutService: translates messages and calls domain functions.

import type { ServiceImpl } from '@connectrpc/connect'
import type { RolloutService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { openRequests, refuseRequest } from '../approval/four-eyes.js'
import { publish } from '../hooks/publish.js'
import { RequestError } from '../request-error.js'
import { messageOfEnvelope } from '../rollout/delivery.js'
import { healthOf } from '../rollout/health.js'
import { trustIfSigned } from '../rollout/keys.js'
import { progressOf } from '../rollout/live.js'
import { evidenceOf } from '../rollout/monitor.js'
import { listPins, newestEmergency, pin, setKillSwitch, unpin } from '../rollout/orders.js'
import { changesIn, envelopeIn, haltedBy, listReleases, releaseOf, shownState } from '../rollout/releases.js'
import { nextRings } from '../rollout/rings.js'
import { rollBack } from '../rollout/send.js'
import { checked, setRollout } from '../rollout/settings.js'
import { type HaltCause, signRelease, stepRelease } from '../rollout/steps.js'
import type { Rules } from '../store/device-states.js'
import { countEnrolled } from '../store/devices.js'
import { countLive } from '../store/live.js'
import { newestIn } from '../store/releases.js'
import type { PinRow, ReleaseRow } from '../store/schema.js'
import { killSwitch, settingsIn } from '../store/team.js'
import type { Team } from '../team.js'
import { timeOf } from '../time.js'

export const rolloutRpc = (team: Team, rules: Rules): Partial<ServiceImpl<typeof RolloutService>> => {
  const { db } = team.store

  const releaseMessage = async (row: ReleaseRow, withHealth: boolean) =>
    messageOf(row, await liveNow(), withHealth)
  const liveNow = async () => {
    const now = await rules()
    return { rules: now, counts: await countLive(team.records.reader, now) }
  }
  const messageOf = async (
    row: ReleaseRow,
    { rules, counts }: Awaited<ReturnType<typeof liveNow>>,
    withHealth: boolean,
  ) => {
    const { reader } = team.records
    const [hooks, health, evidence, halter] = await Promise.all([
      changesIn(db, row),
      withHealth ? healthOf(reader, row.number, rules, counts) : [],
      withHealth ? evidenceOf(team, row) : undefined,
      withHealth ? haltedBy(db, row) : undefined,
    ])
    return {
      number: row.number,
      hash: row.hash,
      state: shownState(row, rules.releases),
      devices: progressOf(row.number, counts),
      ring: row.ring,
      hooks,
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
      health,
      ...(evidence ? { evidence, haltedBy: halter ?? '' } : {}),
    }
  }
  const made = async (row: ReleaseRow) => ({
    release: await releaseMessage(row, false),
    ...(row.state === 'unsigned' ? { unsigned: messageOfEnvelope(envelopeIn(row)) } : {}),
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
      if (!signature) throw new RequestError('invalid', 'signature is missing.')
      return {
        release: await releaseMessage(await signRelease(team, personIn(context), number, signature), false),
      }
    },
    async listReleases(request) {
      const { rows, nextPageToken } = await listReleases(team, request)
      const live = await liveNow()
      return { releases: await Promise.all(rows.map(row => messageOf(row, live, false))), nextPageToken }
    },
    async getRelease({ number }) {
      const row = await releaseOf(db, number)
      return { release: await releaseMessage(row, true), seal: messageOfEnvelope(envelopeIn(row)) }
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
    async refuseChange({ id }, context) {
      await refuseRequest(team, personIn(context), id)
      return {}
    },
    async getRolloutSettings(_, context) {
      const kill = await killSwitch(db)
      const { rings, ...settings } = await settingsIn(db)
      const next = await nextRings(team.records.reader, team.now())
      const emergency = await newestEmergency(team)
      return {
        settings: { ...settings, rings: rings.map(ring => ({ ...ring })) },
        killed: kill.isOn,
        killedBecause: kill.reason,
        next: rings.map(({ name }, index) => ({ ring: name, devices: next[index]! })),
        devices: await countEnrolled(team.records.reader),
        waiting: await newestIn(db, 'unsigned'),
        requests: (await openRequests(team, personIn(context))).map(request => ({
          id: request.id,
          callJson: request.call,
          whyNot: request.whyNot,
          method: request.method,
          subject: request.subject,
          wishJson: request.wish,
          by: request.by,
          at: new Date(request.at).toISOString(),
          expiresAt: new Date(request.expiresAt).toISOString(),
        })),
        mayKill: (await trustIfSigned(db))?.kill_by_server ?? false,
        ...(emergency ? { emergency: { ...emergency, at: new Date(emergency.at).toISOString() } } : {}),
      }
    },
    async setRolloutSettings({ settings }, context) {
      if (!settings) throw new RequestError('invalid', 'settings is missing.')
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
      if (whom.case === undefined) throw new RequestError('invalid', 'Name a device or a group.')
      const kind = whom.case === 'deviceId' ? 'device' : 'group'
      const row = { kind, whom: whom.value, release, until: timeOf('until', until), reason } as const
      return { pin: pinMessage(await pin(team, personIn(context), row)) }
    },
    async unpin({ deviceId, group }, context) {
      if ((deviceId === '') === (group === '')) throw new RequestError('invalid', 'Name a device or a group.')
      await unpin(team, personIn(context), deviceId === '' ? 'group' : 'device', deviceId || group)
      return {}
    },
    async listPins(request) {
      const { rows, nextPageToken } = await listPins(team, request)
      return { pins: rows.map(pinMessage), nextPageToken }
    },
  }
}

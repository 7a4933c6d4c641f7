// A complete server: the team, its people, its port, and the background jobs. Stopped in reverse order.

import type { RequestListener } from 'node:http'
import { resolve } from 'node:path'
import { aboutOf } from './about.js'
import { openRateLimit } from './access/rate-limit.js'
import { startMaintenance } from './audit/maintenance.js'
import type { Collector } from './audit/otlp/sender.js'
import { startDutyAlarm } from './duty-alarm.js'
import { openHealth } from './http/health.js'
import { openPort } from './http/port.js'
import { openLog } from './log.js'
import { openTeam } from './open-team.js'
import { firstOwnerLink } from './people/invites.js'
import type { Oidc } from './people/oidc.js'
import { type OpenPeople, openPeople } from './people/open.js'
import { openPolls } from './push/polls.js'
import { foldersOf } from './replay/sandbox.js'
import type { KeyOptions } from './rollout/create-keys.js'
import { openDelivery } from './rollout/delivery.js'
import { startExpiryAlarm } from './rollout/expiry.js'
import { startRolloutMonitor } from './rollout/monitor.js'
import { keepSituation } from './rollout/situation.js'
import { openSecrets, secretFrom } from './secrets.js'
import { listenerFor } from './serve.js'
import { lockFile, makeRoom } from './store/file.js'
import { kindOf } from './store/kind.js'
import type { Team } from './team.js'
import { UsageError } from './usage-error.js'

export interface ServerOptions extends KeyOptions {
  /** A file, or postgres://… */
  readonly database: string
  /** A direct connection, if the database is behind a pooler. */
  readonly listenDatabase?: string | undefined
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** The address for users and devices (default: the listening address). */
  readonly url?: string | undefined
  readonly name?: string | undefined
  /** 32 bytes or more. With several servers on one database it must be the same everywhere. */
  readonly secret?: Uint8Array | undefined
  /** Where the secret is stored if none is given. */
  readonly secretFile?: string | undefined
  readonly oidc?: Oidc | undefined
  /** False: users sign in by OIDC only. */
  readonly passwords?: boolean | undefined
  /** Of owners and admins with a password (default: optional if only this machine reaches the server). */
  readonly secondFactor?: 'required' | 'optional' | undefined
  /** The collector that receives every record. */
  readonly otlp?: Collector | undefined
  readonly proxies?: number | undefined
  readonly writeLog: (line: string) => void
  readonly now?: (() => number) | undefined
}

export interface RunningServer {
  readonly team: Team
  readonly people: OpenPeople
  readonly url: string
  readonly port: number
  readonly fingerprint: string
  /** Only at the first start, unless they were made elsewhere. */
  readonly rootKeys: readonly Uint8Array[]
  /** While there is no owner: the link that creates one. */
  readonly ownerLink: string | null
  close(): Promise<void>
}

const POLL = 'DeviceService/GetTeamHooks'
/** The time limit for running calls to finish. */
const PATIENCE_MS = 10_000

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const now = options.now ?? Date.now
  const log = openLog(options.writeLog, now)
  const place = placeOf(options)
  let unlock = () => {}
  let listener: RequestListener = (_request, response) => {
    response.writeHead(503, { 'retry-after': '1' })
    response.end('starting\n')
  }
  // First, because the address must be known; earlier calls get a request to retry.
  const port = await openPort(options, (request, response) => listener(request, response))
  const closing: (() => unknown)[] = [() => port.close(PATIENCE_MS)]
  const close = async () => {
    for (const step of closing.splice(0)) await step()
    unlock()
  }
  try {
    if (kindOf(options.database) === 'sqlite') unlock = lockFile(options.database)
    const secrets = openSecrets(options.secret ?? secretFrom(place.secretFile))
    const url =
      options.url ?? `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port.port}`
    const opened = await openTeam({ ...options, secrets, url, log, now, hidden: place.hidden })
    const { team } = opened
    closing.push(() => opened.close())
    const people = await openPeople(team, {
      ...(options.oidc ? { oidc: options.oidc } : {}),
      ...(options.passwords === undefined ? {} : { passwords: options.passwords }),
      ...(options.secondFactor === undefined ? {} : { secondFactor: options.secondFactor }),
      ...(options.proxies === undefined ? {} : { proxies: options.proxies }),
    })
    closing.splice(1, 0, () => people.close())
    const situations = keepSituation(team)
    const deliver = openDelivery(team)
    const rateLimit = openRateLimit()
    const polls = openPolls(team, {
      situations,
      deliver,
      count: async id => (await rateLimit.take(POLL, id)) === null,
      // With the address, because failed attempts are counted by it.
      identify: request => people.identifyDevice(request.headers.authorization, people.address(request)),
      onTokenChange: people.onTokenChange,
    })
    const health = openHealth(team, { waiting: polls.waiting, isPushDegraded: opened.isPushDegraded })
    const about = aboutOf(options.oidc, options.otlp, opened.isPushDegraded)
    const monitor = startRolloutMonitor(team)
    const alarm = startExpiryAlarm(team)
    const dutyAlarm = startDutyAlarm(team)
    const maintenance = startMaintenance(team, options.otlp)
    closing.unshift(() => {
      monitor.stop()
      polls.close()
      alarm.stop()
      dutyAlarm.stop()
      health.stop()
    })
    // After the last response, and before the database closes.
    closing.splice(2, 0, () => maintenance.stop())
    listener = listenerFor({
      team,
      people,
      rateLimit,
      parts: { situations, deliver, about },
      polls,
      health,
    })
    void team.sandbox().then(({ reason }) => reason !== '' && log.warn(reason))
    const link = await firstOwnerLink(team)
    log.info('the server is ready', { url: team.url, team: team.id, database: team.store.kind })
    return {
      team,
      people,
      url: team.url,
      port: port.port,
      fingerprint: opened.fingerprint,
      rootKeys: opened.rootKeys,
      ownerLink: link?.link ?? null,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** A database in a file has its secret beside it; for another one the operator must give it. */
function placeOf({ database, secret, secretFile }: ServerOptions): { secretFile: string; hidden: string[] } {
  if (kindOf(database) === 'sqlite') {
    const file = resolve(database)
    makeRoom(database)
    const own = secretFile ?? `${file}.secret`
    return { secretFile: own, hidden: foldersOf([file, resolve(own)]) }
  }
  if (!secret && secretFile === undefined) {
    throw new UsageError(
      'A server on PostgreSQL needs its secret from outside, the same for every process: HOLDFAST_SECRET, or --secret-file.',
    )
  }
  return {
    secretFile: secretFile ?? '',
    hidden: secretFile === undefined ? [] : foldersOf([resolve(secretFile)]),
  }
}

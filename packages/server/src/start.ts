// A complete server: the team, its people, its port, and the background jobs. Stopped in reverse order.

import type { RequestListener } from 'node:http'
import { resolve } from 'node:path'
import { aboutOf } from './about.js'
import { openRateLimit } from './access/rate-limit.js'
import { startKeeper } from './audit/keeper.js'
import type { Collector } from './audit/otlp/collector.js'
import { Complaint } from './complaint.js'
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
import { startExpiryAlarm } from './rollout/expiry.js'
import { keepSituation } from './rollout/situation.js'
import { startWatchman } from './rollout/watchman.js'
import { openSecrets, secretFrom } from './secrets.js'
import { listenerFor } from './serve.js'
import { lockFile, makeRoom } from './store/file.js'
import { kindOf } from './store/kind.js'
import type { Team } from './team.js'

export interface ServerOptions extends KeyOptions {
  /** A file, or postgres://… */
  readonly database: string
  /** A direct connection, where the database itself is behind a pooler. */
  readonly listenDatabase?: string | undefined
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** Where people and devices reach it; by default where it listens. */
  readonly url?: string | undefined
  readonly name?: string | undefined
  /** 32 bytes or more. With several servers on one database it must be the same everywhere. */
  readonly secret?: Uint8Array | undefined
  /** Where the secret is kept when none is given. */
  readonly secretFile?: string | undefined
  readonly oidc?: Oidc | undefined
  /** False: people sign in by OIDC only. */
  readonly passwords?: boolean | undefined
  /** Where every record is sent on to. */
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
  /** While there is no owner yet: the link that makes one. */
  readonly ownerLink: string | null
  close(): Promise<void>
}

/** How long calls that are under way may take to finish. */
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
  // First of all, as the address must be known; who comes too early is told to come again.
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
      ...(options.proxies === undefined ? {} : { proxies: options.proxies }),
    })
    closing.splice(1, 0, () => people.close())
    const situations = keepSituation(team)
    const polls = openPolls(team, {
      situations,
      // With the address: failed attempts are counted by it.
      identify: request => people.identifyDevice(request.headers.authorization, people.address(request)),
      onTokenChange: people.onTokenChange,
    })
    const rateLimit = openRateLimit()
    const health = openHealth(team, { waiting: polls.waiting, isPushDegraded: opened.isPushDegraded })
    const about = aboutOf(options.oidc, options.otlp, opened.isPushDegraded)
    const watchman = startWatchman(team)
    const alarm = startExpiryAlarm(team)
    const dutyAlarm = startDutyAlarm(team)
    const keeper = startKeeper(team, options.otlp)
    closing.unshift(() => {
      watchman.stop()
      polls.close()
      alarm.stop()
      dutyAlarm.stop()
      health.stop()
    })
    // After the last call has been answered, and before the database goes.
    closing.splice(2, 0, () => keeper.stop())
    listener = listenerFor({
      team,
      people,
      rateLimit,
      parts: { situations, about },
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

/** A database in a file has its secret beside it; for one elsewhere somebody must say where. */
function placeOf({ database, secret, secretFile }: ServerOptions): { secretFile: string; hidden: string[] } {
  if (kindOf(database) === 'sqlite') {
    const file = resolve(database)
    makeRoom(database)
    const own = secretFile ?? `${file}.secret`
    return { secretFile: own, hidden: foldersOf([file, resolve(own)]) }
  }
  if (!secret && secretFile === undefined) {
    throw new Complaint(
      'A server on PostgreSQL needs its secret from outside, the same for every process: HOLDFAST_SECRET, or --secret-file.',
    )
  }
  return {
    secretFile: secretFile ?? '',
    hidden: secretFile === undefined ? [] : foldersOf([resolve(secretFile)]),
  }
}

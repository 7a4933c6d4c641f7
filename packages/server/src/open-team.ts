// A team on its database, ready to be served: loaded or created, with its keys.

import type { Collector } from './audit/otlp/sender.js'
import { openRecords } from './audit/records.js'
import { openHub } from './push/hub.js'
import { openListening } from './push/listen.js'
import { findSandbox } from './replay/sandbox.js'
import { createKeys, type KeyOptions, keyOptionsProblem } from './rollout/create-keys.js'
import type { Secrets } from './secrets.js'
import { createTeam } from './setup.js'
import { allKeys } from './store/keys.js'
import { openStore } from './store/open.js'
import type { Log, Team } from './team.js'
import { UsageError } from './usage-error.js'

export interface TeamOptions extends KeyOptions {
  readonly database: string
  /** A direct connection, if the database is behind a pooler. */
  readonly listenDatabase?: string | undefined
  readonly secrets: Secrets
  readonly name?: string | undefined
  readonly url: string
  readonly log: Log
  readonly now?: (() => number) | undefined
  /** Folders that drafts must not read: those of the database and the secret. */
  readonly hidden?: readonly string[] | undefined
  /** A collector to which every record is sent on. */
  readonly otlp?: Collector | undefined
}

export interface OpenTeam {
  readonly team: Team
  readonly fingerprint: string
  /** Only if the server created them just now. They are not stored. */
  readonly rootKeys: readonly Uint8Array[]
  /** Changes of other processes are noticed with a delay. */
  readonly isPushDegraded: () => boolean
  close(): Promise<void>
}

export async function openTeam(options: TeamOptions): Promise<OpenTeam> {
  const now = options.now ?? Date.now
  const store = await openStore({ database: options.database, now })
  try {
    const row = await createTeam(store, options.name ?? 'Team', now())
    const problem = keyOptionsProblem(options)
    if (problem !== undefined) throw new UsageError(problem)
    const keys = await createKeys(store, options.secrets, {
      ...options,
      teamId: row.id,
      teamName: row.name,
      now: now(),
    })
    await mustBeOurs(store, options.secrets)
    const listening =
      store.kind === 'postgres'
        ? openListening(store, options.listenDatabase ?? options.database, options.log)
        : null
    const hub = listening ?? openHub()
    const records = openRecords(store, { isSentOn: options.otlp !== undefined, log: options.log })
    const team: Team = {
      id: row.id,
      name: row.name,
      store,
      records,
      hub,
      secrets: options.secrets,
      sandbox: () => findSandbox(options.hidden ?? []),
      now,
      log: options.log,
      url: options.url.replace(/\/+$/, ''),
    }
    return {
      team,
      ...keys,
      isPushDegraded: () => listening?.isDegraded() ?? false,
      async close() {
        hub.close()
        await records.close()
        await store.close()
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** With another secret nothing could be signed, and devices would get no explanation. */
async function mustBeOurs(store: Team['store'], secrets: Secrets): Promise<void> {
  const rows = await allKeys(store.db)
  try {
    for (const { private_key: hidden } of rows) if (hidden) secrets.decrypt(new Uint8Array(hidden))
  } catch {
    throw new UsageError(
      'The secret of this server is not the one that its keys were encrypted with. Restore it: HOLDFAST_SECRET, --secret-file, or the file beside the database.',
    )
  }
}

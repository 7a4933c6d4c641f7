// A team on SQLite with a separate clock, and rows for decisions that read tables.

import { signEnvelope, type TrustPayload, writeTrust } from '@holdfast/team'
import type { Person } from '../../packages/server/src/access/actor.js'
import { mint, type Prefix } from '../../packages/server/src/access/token.js'
import { openRecords } from '../../packages/server/src/audit/records.js'
import { openHub } from '../../packages/server/src/push/hub.js'
import { createKeys } from '../../packages/server/src/rollout/create-keys.js'
import { trustIn } from '../../packages/server/src/rollout/keys.js'
import { prepareKey, submitTrust } from '../../packages/server/src/rollout/rotate.js'
import { openSecrets } from '../../packages/server/src/secrets.js'
import { createTeam } from '../../packages/server/src/setup.js'
import { openStore } from '../../packages/server/src/store/open.js'
import type {
  DeviceRow,
  EnrolmentKeyRow,
  InviteRow,
  ReleaseRow,
  Schema,
  TokenRow,
} from '../../packages/server/src/store/schema.js'
import type { Team } from '../../packages/server/src/team.js'
import { DATABASES } from './databases.js'
import { DAY, SILENT } from './records.js'
import { seat } from './server.js'

export const NOW = Date.UTC(2026, 5, 15, 12)

const hexOf = (key: Uint8Array) => Buffer.from(key).toString('hex')

interface Rotation {
  readonly publicKey?: Uint8Array
  readonly newEpoch?: boolean
}

type TableWithIds = 'devices' | 'enrolment_keys' | 'invites' | 'tokens'

export interface Rows {
  readonly team: Team
  readonly clock: { now: number }
  readonly fingerprint: string
  readonly rootKeys: readonly Uint8Array[]
  /** Root metadata with this change, signed by the first root key unless others are given. */
  changeKeys(by: Person, change: Partial<TrustPayload>, ...signers: Uint8Array[]): Promise<number>
  /** Another key, made by the server unless one is given. */
  rotate(by: Person, use: 'release' | 'lease', options?: Rotation): Promise<void>
  empty(...tables: (keyof Schema)[]): Promise<void>
  seat(role: Person['role'], name?: string): Promise<Person>
  device(id: string, change?: Partial<DeviceRow>): Promise<string>
  /** The text that its bearer shows. */
  token(owner: string, change?: Partial<TokenRow>): Promise<{ id: string; text: string }>
  key(change?: Partial<EnrolmentKeyRow>): Promise<{ id: string; text: string }>
  invite(email: string, change?: Partial<InviteRow>): Promise<{ id: string; text: string }>
  release(number: number, change?: Partial<ReleaseRow>): Promise<void>
  ids(table: TableWithIds): Promise<string[]>
  /** Tokens that were revoked, now or before. */
  revoked(table: TableWithIds): Promise<string[]>
  close(): Promise<void>
}

export async function openRows(): Promise<Rows> {
  const database = await DATABASES[0]!.create()
  const clock = { now: NOW }
  const now = () => clock.now
  const secrets = openSecrets(Buffer.alloc(32, 7))
  const store = await openStore({ database: database.url, now })
  const { id, name } = await createTeam(store, 'Team', NOW)
  const { fingerprint, rootKeys } = await createKeys(store, secrets, {
    teamId: id,
    teamName: name,
    now: NOW,
  })
  const records = openRecords(store, { isSentOn: false, log: SILENT })
  const hub = openHub()
  const url = 'http://127.0.0.1'
  // Without a sandbox, because detecting one starts processes.
  const team: Team = {
    id,
    name,
    store,
    records,
    hub,
    secrets,
    sandbox: async () => ({ sandbox: null, reason: 'Dry runs are off.' }),
    now,
    log: SILENT,
    url,
  }
  const { db } = store
  const minted = (prefix: Prefix) => {
    const { id, hash, text } = mint(prefix)
    return { id, hash, text: text.reveal() }
  }
  const changeKeys: Rows['changeKeys'] = async (by, change, ...signers) => {
    const old = await trustIn(db)
    const payload = writeTrust({ ...old, version: old.version + 1, ...change })
    return submitTrust(
      team,
      by,
      signEnvelope('trust', payload, ...(signers.length > 0 ? signers : [rootKeys[0]!])),
    )
  }
  return {
    team,
    clock,
    fingerprint,
    rootKeys,
    changeKeys,
    async rotate(by, use, { publicKey, newEpoch = false } = {}) {
      const { epoch } = await trustIn(db)
      const keys = [hexOf(publicKey ?? (await prepareKey(team, by, use)))]
      await changeKeys(by, {
        ...(use === 'release' ? { release_keys: keys } : { lease_keys: keys }),
        epoch: epoch + Number(newEpoch),
      })
    },
    async empty(...tables) {
      for (const table of tables) await db.deleteFrom(table).execute()
    },
    async seat(role, name = role) {
      const person: Person = {
        kind: 'person',
        userId: `user-${name}`,
        name: `${name}@example.com`,
        role,
        via: 'session',
        address: '',
      }
      await seat(team, { ...person, name })
      return person
    },
    async device(id, change = {}) {
      await db
        .insertInto('devices')
        .values({ ...DEVICE, id, name: id, last_seen_at: clock.now, ...change })
        .execute()
      return id
    },
    async token(owner, change = {}) {
      const { id, hash, text } = minted(change.kind === 'person' ? 'hfp' : 'hfd')
      await db
        .insertInto('tokens')
        .values({ ...TOKEN, id, secret_hash: hash, owner, expires_at: clock.now + DAY, ...change })
        .execute()
      return { id: change.id ?? id, text }
    },
    async key(change = {}) {
      const { id, hash, text } = minted('hfe')
      await db
        .insertInto('enrolment_keys')
        .values({ ...KEY, id, secret_hash: hash, expires_at: clock.now + DAY, ...change })
        .execute()
      return { id, text: `${text}_${fingerprint}` }
    },
    async invite(email, change = {}) {
      const { id, hash, text } = minted('hfi')
      await db
        .insertInto('invites')
        .values({ ...INVITE, id, secret_hash: hash, email, expires_at: clock.now + DAY, ...change })
        .execute()
      return { id, text }
    },
    async release(number, change = {}) {
      await db
        .insertInto('releases')
        .values({ ...RELEASE, number, hash: `hash ${number}`, ring_since: clock.now, ...change })
        .execute()
    },
    ids: async table => {
      const all = await db.selectFrom(table).select('id').orderBy('id').execute()
      return all.map(({ id }) => id)
    },
    revoked: async table => {
      const all = await db.selectFrom(table).selectAll().orderBy('id').execute()
      return all.filter(row => 'revoked_at' in row && row.revoked_at !== null).map(({ id }) => id)
    },
    async close() {
      hub.close()
      await records.close()
      await store.close()
      await database.drop()
    },
  }
}

const DEVICE: Omit<DeviceRow, 'id' | 'name' | 'last_seen_at'> = {
  operating_system: 'Linux',
  os_version: '',
  client_version: '',
  group: '',
  enrolled_at: 0,
  owner: '',
  enrolled_by: '',
  enrolment_key: null,
  token_id: '',
  release: 0,
  release_hash: '',
  trust_version: 0,
  state: 'no_bundle',
  problems: '[]',
  queued: 0,
  place: 0.5,
  revoked_at: null,
  looks_cloned: 0,
  lease_seq: 0,
}

const TOKEN: Omit<TokenRow, 'id' | 'secret_hash' | 'owner' | 'expires_at'> = {
  kind: 'device',
  name: '',
  role: '',
  created_at: 0,
  last_used_at: 0,
  revoked_at: null,
}

const KEY: Omit<EnrolmentKeyRow, 'id' | 'secret_hash' | 'expires_at'> = {
  note: '',
  group: '',
  uses: 0,
  max_uses: 10,
  created_at: 0,
  created_by: '',
  revoked_at: null,
}

const INVITE: Omit<InviteRow, 'id' | 'secret_hash' | 'email' | 'expires_at'> = {
  role: 'auditor',
  invited_by: '',
  created_at: 0,
  used_at: null,
}

const RELEASE: Omit<ReleaseRow, 'number' | 'hash' | 'ring_since'> = {
  epoch: 0,
  payload: new Uint8Array(),
  signatures: '[{}]',
  state: 'rolling',
  ring: 0,
  generation: 1,
  halted_because: '',
  halt_causes: '[]',
  rolls_back_to: null,
  note: '',
  author: '',
  at: 0,
  expires_at: 0,
}

/** The code of the refusal, or ok. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'ok',
    error => error.code ?? error.message,
  )

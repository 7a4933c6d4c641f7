// AuditService: translates messages and calls domain functions.

import { type MessageInitShape, ScalarType } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import { type AuditService, RecordSchema } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { FLOOR_DAYS, setLegalHold, setRecordDays } from '../approval/retention.js'
import { fieldsIn, listActions, listRefused, verifyChain } from '../audit/actions.js'
import type { Bar } from '../audit/bars.js'
import { calledToday } from '../audit/called-today.js'
import { countRecords } from '../audit/counts.js'
import { exportRecords } from '../audit/export.js'
import { facetsOf } from '../audit/facets.js'
import type { Names } from '../audit/names.js'
import { overviewOf } from '../audit/overview.js'
import { recordOf, searchRecords } from '../audit/search.js'
import { watchPages } from '../push/pages.js'
import { BLANK_RECORD, type Listed } from '../records/record.js'
import { expiringIn } from '../rollout/expiry.js'
import type { Rules } from '../store/device-states.js'
import { type Retention, retentionIn } from '../store/retention.js'
import type { Team } from '../team.js'

export const auditRpc = (team: Team, rules: Rules): Partial<ServiceImpl<typeof AuditService>> => ({
  async searchRecords(request) {
    const { records, names, nextPageToken } = await searchRecords(team, request)
    return {
      records: records.map(record => recordMessage(record, names)),
      nextPageToken,
    }
  },
  async getRecord({ id }) {
    const { record, names } = await recordOf(team, id)
    return { record: { ...recordMessage(record, names), bodyJson: record.body } }
  },
  async countRecords(request) {
    const { bars, total } = await countRecords(team, request)
    return { buckets: bars.map(bucketMessage), total }
  },
  getFacets: async ({ filter }) =>
    facetsOf(team, filter) as Promise<Mutable<Awaited<ReturnType<typeof facetsOf>>>>,
  async *exportRecords(request, { signal }) {
    for await (const lines of exportRecords(team, request, signal)) yield { lines }
  },
  async getOverview(request, context) {
    const { bars, ...overview } = await overviewOf(team, rules, request)
    const expiring = await expiringIn(team, personIn(context).userId)
    return {
      ...(overview as Mutable<typeof overview>),
      buckets: bars.map(bucketMessage),
      expiring: expiring.map(({ id: _, ...one }) => ({
        ...one,
        expiresAt: new Date(one.expiresAt).toISOString(),
      })),
    }
  },
  async listAdminActions(request) {
    const { actions, nextPageToken, hidden } = await listActions(team, request)
    const said = actions.map(({ body }) => fieldsIn(body))
    return {
      hidden,
      actions: actions.map(({ seq, prev, hash, body }, index) => {
        const { detail, ...rest } = said[index]!
        return {
          seq,
          prev,
          hash,
          ...(request.withoutBody ? {} : { body: new Uint8Array(body) }),
          ...rest,
          detailJson: JSON.stringify(detail),
        }
      }),
      names: await calledToday(team, said),
      nextPageToken,
    }
  },
  async verifyChain() {
    const { state, verifiedTo, headHash, message } = await verifyChain(team.records.reader)
    return { state, verifiedTo, headHash, message }
  },
  watchTeam: (_request, { signal }) => watchPages(team, signal),
  async listRefusedCalls(request) {
    const { rows, nextPageToken } = await listRefused(team, request)
    return {
      calls: rows.map(({ at, ...call }) => ({ ...call, at: new Date(at).toISOString() })),
      nextPageToken,
    }
  },
  getRetention: async () => retentionMessage(await retentionIn(team.store.db)),
  setRetention: async ({ recordDays }, context) =>
    retentionMessage(await setRecordDays(team, personIn(context), recordDays)),
  async setLegalHold({ reason }, context) {
    await setLegalHold(team, personIn(context), reason)
    return {}
  },
})

const retentionMessage = ({ recordDays, shortening, hold }: Retention) => ({
  recordDays,
  floorDays: FLOOR_DAYS,
  ...(shortening
    ? {
        shortening: {
          recordDays: shortening.days,
          requestedBy: shortening.by,
          requestedAt: new Date(shortening.at).toISOString(),
          dueAt: new Date(shortening.dueAt).toISOString(),
        },
      }
    : {}),
  ...(hold ? { hold: { reason: hold.reason, setBy: hold.by, setAt: new Date(hold.at).toISOString() } } : {}),
})

/** Lists of our own are read-only; those of messages are not. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

/** Fields have the names of their columns. */
const FIELDS = RecordSchema.fields.filter(({ name }) => name in BLANK_RECORD)

const recordMessage = (record: Listed, { devices, hooks }: Names): MessageInitShape<typeof RecordSchema> => ({
  ...Object.fromEntries(
    FIELDS.map(({ name, localName, scalar }) => {
      const value = record[name as keyof Listed]
      return [localName, scalar === ScalarType.BOOL ? value === 1 : value]
    }),
  ),
  at: new Date(record.at).toISOString(),
  receivedAt: new Date(record.received_at).toISOString(),
  hook: hooks.get(record.hook) ?? record.hook,
  deviceName: devices.get(record.device_id)?.name ?? '',
  deviceOwner: devices.get(record.device_id)?.owner ?? '',
})

const bucketMessage = ({ from, to, verdicts }: Bar) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  verdicts: [...verdicts].map(([name, count]) => ({ name, count })),
})

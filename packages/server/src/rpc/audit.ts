// AuditService: messages in, domain functions, messages out.

import type { ServiceImpl } from '@connectrpc/connect'
import type { AuditService } from '@holdfast/team'
import { personIn } from '../access/person.js'
import { listActions, saidIn, verifyChain } from '../audit/actions.js'
import type { Bar } from '../audit/bars.js'
import { calledToday } from '../audit/called-today.js'
import { countRecords } from '../audit/counts.js'
import { exportRecords } from '../audit/export.js'
import { facetsOf } from '../audit/facets.js'
import { overviewOf } from '../audit/overview.js'
import { listRefused } from '../audit/refused-calls.js'
import { FLOOR_DAYS, type Retention, retentionIn, setLegalHold, setRecordDays } from '../audit/retention.js'
import { type Listed, recordOf, searchRecords } from '../audit/search.js'
import type { IntendedFor } from '../people/device-state.js'
import { watchPages } from '../push/pages.js'
import { expiringIn } from '../rollout/expiry.js'
import type { Team } from '../team.js'

export const auditRpc = (
  team: Team,
  intendedFor: IntendedFor,
): Partial<ServiceImpl<typeof AuditService>> => ({
  async searchRecords(request) {
    const { records, names, nextPageToken } = await searchRecords(team, request)
    return {
      records: records.map(record => recordMessage(record, names.get(record.device_id) ?? '')),
      nextPageToken,
    }
  },
  async getRecord({ id }) {
    const { body, deviceName, ...record } = await recordOf(team, id)
    return { record: { ...recordMessage(record, deviceName), bodyJson: body } }
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
    const { bars, ...overview } = await overviewOf(team, intendedFor, request)
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
    const said = actions.map(({ body }) => saidIn(body))
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
    const { state, verifiedTo, headHash, message } = await verifyChain(team)
    return { state, verifiedTo, headHash, message }
  },
  watchTeam: (_request, { signal }) => watchPages(team, signal),
  async listRefusedCalls(request) {
    const { calls, nextPageToken } = await listRefused(team, request)
    return {
      calls: calls.map(({ id, at, what, who, detail }) => ({
        id,
        at: new Date(at).toISOString(),
        what,
        who,
        detail,
      })),
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
          dueAt: shortening.dueAt === null ? '' : new Date(shortening.dueAt).toISOString(),
        },
      }
    : {}),
  ...(hold ? { hold: { reason: hold.reason, setBy: hold.by, setAt: new Date(hold.at).toISOString() } } : {}),
})

/** Lists of our own are not to be changed; those of messages may be. */
type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] }

const recordMessage = (record: Listed, deviceName: string) => ({
  id: record.id,
  at: new Date(record.at).toISOString(),
  receivedAt: new Date(record.received_at).toISOString(),
  deviceId: record.device_id,
  deviceName,
  event: record.event,
  hook: record.hook,
  hookId: record.hook_id,
  source: record.source,
  verdict: record.verdict,
  failedOpen: record.failed_open === 1,
  observed: record.observed === 1,
  durationMs: record.duration_ms,
  summary: record.summary,
  release: record.release,
  revision: record.revision,
  clockSkew: record.clock_skew === 1,
  conversationId: record.conversation_id,
})

const bucketMessage = ({ from, to, verdicts }: Bar) => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  verdicts: [...verdicts].map(([name, count]) => ({ name, count })),
})

// Reports of devices about themselves. Reports that arrive together are stored together.

import type { ReportRequest } from '@holdfast/team'
import { gather } from '../access/gather.js'
import { tidy } from '../records/summary.js'
import { RequestError } from '../request-error.js'
import { type ReportedFields, saveReports } from '../store/devices.js'
import type { Team } from '../team.js'

const MOST_PROBLEMS = 20
const STATES = ['in_sync', 'stale', 'killed', 'no_bundle']

export type Report = (id: string, said: ReportRequest) => Promise<void>

export function openReports(team: Team): Report {
  const waiting = new Map<string, Partial<ReportedFields>>()
  let saving: Promise<unknown> = Promise.resolve()
  const save = gather((ids: readonly string[]) => {
    const saved = saving.then(async () => {
      const reports = new Map(ids.filter(id => waiting.has(id)).map(id => [id, waiting.get(id)!]))
      for (const id of ids) waiting.delete(id)
      if (reports.size === 0) return new Map()
      await saveReports(team.store, reports)
      team.hub.changed('devices')
      return new Map()
    })
    saving = saved.catch(() => {})
    return saved
  })
  return async (id, said) => {
    waiting.set(id, fieldsOf(said, team.now()))
    await save(id)
  }
}

/** A device is trusted only about itself, and its texts are cut. */
function fieldsOf(said: ReportRequest, now: number): Partial<ReportedFields> {
  if (!STATES.includes(said.state)) {
    throw new RequestError('invalid', `state is "${said.state.slice(0, 40)}"; expected ${STATES.join(', ')}.`)
  }
  const cut = (text: string | undefined, length: number) => tidy(text ?? '', length)
  const { facts } = said
  return {
    ...(facts
      ? {
          name: cut(facts.name, 200),
          os_version: cut(facts.osVersion, 100),
          client_version: cut(facts.clientVersion, 50),
        }
      : {}),
    release: said.release,
    release_hash: cut(said.releaseHash, 64),
    trust_version: said.trustVersion,
    state: said.state,
    queued: Math.max(0, said.queued),
    problems: JSON.stringify(
      said.problems.slice(0, MOST_PROBLEMS).map(({ code, message, at }) => ({
        code: cut(code, 60),
        message: cut(message, 500),
        at: cut(at, 40),
      })),
    ),
    last_seen_at: now,
  }
}

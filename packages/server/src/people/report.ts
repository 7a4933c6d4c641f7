// What a device says of itself.

import type { ReportRequest } from '@holdfast/team'
import { tidy } from '../audit/summary.js'
import { Refusal } from '../refusal.js'
import type { DeviceRow } from '../store/schema.js'
import type { Team } from '../team.js'

export async function deviceOf({ store }: Team, id: string): Promise<DeviceRow> {
  const device = await store.db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirst()
  if (!device) throw new Refusal('missing', `There is no device ${id}.`)
  return device
}

const MOST_PROBLEMS = 20
const STATES = ['in_sync', 'stale', 'killed', 'no_bundle']

/** What a device says of itself is believed only about itself, and only so much of it. */
export async function report(team: Team, id: string, said: ReportRequest): Promise<void> {
  if (!STATES.includes(said.state)) {
    throw new Refusal('invalid', `state is "${said.state.slice(0, 40)}"; expected ${STATES.join(', ')}.`)
  }
  const cut = (text: string | undefined, length: number) => tidy(text ?? '', length)
  const { facts } = said
  await team.store.db
    .updateTable('devices')
    .set({
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
      last_seen_at: team.now(),
    })
    .where('id', '=', id)
    .execute()
  team.hub.changed('devices')
}

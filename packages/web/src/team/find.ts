// Objects of the team for the palette: hooks, devices, people, releases, sessions and records.

import { createClient, type Transport } from '@connectrpc/connect'
import {
  AuditService,
  DevicesService,
  HooksService,
  PeopleService,
  RolloutService,
} from '@holdfast/team/messages'
import type { Command, Find } from '../shell/commands.js'

const FEW = 5
const MOST_RELEASES = 100
/** As agents write the ids of their sessions. */
const SESSION = /^[\w-]{4,128}$/

export function openFind(transport: Transport): Find {
  const hooks = createClient(HooksService, transport)
  const devices = createClient(DevicesService, transport)
  const people = createClient(PeopleService, transport)
  const rollout = createClient(RolloutService, transport)
  const audit = createClient(AuditService, transport)
  return async (text, signal) => {
    const wanted = text.toLowerCase()
    const has = (...texts: readonly string[]) => texts.some(each => each.toLowerCase().includes(wanted))
    const searches: readonly Promise<readonly Command[]>[] = [
      hooks
        .listHooks({ query: text, pageSize: FEW }, { signal })
        .then(({ hooks }) =>
          hooks.map(({ id, name }) => ({ label: name, kind: 'hook', href: `/hooks/${id}` })),
        ),
      devices.listDevices({ query: text, pageSize: FEW }, { signal }).then(({ devices }) =>
        devices.map(({ id, facts }) => ({
          label: facts?.name || id,
          kind: 'device',
          href: `/devices?device=${id}`,
        })),
      ),
      Promise.all([
        devices.countDevices({}, { signal }),
        people.listMembers({ pageSize: 200 }, { signal }),
      ]).then(([{ owners }, { members }]) => {
        const named = new Map(owners.map(({ name }) => [name, name]))
        for (const { email, name } of members) named.set(email, `${name} ${email}`)
        return [...named]
          .filter(([email, label]) => email !== '' && has(label))
          .slice(0, FEW)
          .flatMap(([email, label]) => [
            { label, kind: 'devices of a person', href: `/devices?owner=${encodeURIComponent(email)}` },
            { label, kind: 'records of a person', href: `/audit?owner=${encodeURIComponent(email)}` },
          ])
      }),
      rollout.listReleases({ pageSize: MOST_RELEASES }, { signal }).then(({ releases }) =>
        releases
          .filter(({ number, note }) => `release ${number}`.endsWith(wanted) || has(note))
          .slice(0, FEW)
          .map(({ number, note }) => ({
            label: `Release ${number}${note === '' ? '' : `: ${note}`}`,
            kind: 'release',
            href: `/rollout/${number}`,
          })),
      ),
      !SESSION.test(text)
        ? Promise.resolve([])
        : audit
            .searchRecords({ filter: { from: ALL_TIME, conversationId: text }, pageSize: 1 }, { signal })
            .then(({ records }) =>
              records.map(() => ({
                label: text,
                kind: 'session',
                href: `/audit?range=all&conversation=${text}`,
              })),
            ),
    ]
    const found = await Promise.allSettled(searches)
    return [
      ...found.flatMap(one => (one.status === 'fulfilled' ? one.value : [])),
      {
        label: `Records that contain “${text}”`,
        kind: 'search',
        href: `/audit?q=${encodeURIComponent(text)}`,
      },
    ]
  }
}

const ALL_TIME = '2020-01-01T00:00:00Z'

// PeopleService: translates messages and calls domain functions.

import type { ServiceImpl } from '@connectrpc/connect'
import type { PeopleService } from '@holdfast/team'
import type { About } from '../about.js'
import { ACTOR, type Person } from '../access/actor.js'
import { METHODS } from '../access/methods.js'
import { after, paged, pageOf, sizeOf } from '../page.js'
import { invite, withdraw } from '../people/invites.js'
import { memberOf, removeMember, setRole } from '../people/members.js'
import { createToken, revokeToken } from '../people/person-tokens.js'
import { fingerprint } from '../people/trust.js'
import { RequestError } from '../request-error.js'
import { isAtLeast, ROLES, type Role } from '../roles.js'
import { listInvites } from '../store/invites.js'
import { listMembers, type MemberRecord } from '../store/members.js'
import type { InviteRow, TokenRow } from '../store/schema.js'
import { pageOfTokens } from '../store/tokens.js'
import type { Team } from '../team.js'
import { VERSION } from '../version.js'

/** Pending invitations are listed among the members, by this name. */
const INVITED = 'invite:'
const ENDS = [0, ''] as const
const MEMBERS = 0
const INVITES = 1

export const peopleRpc = (team: Team, about: About): ServiceImpl<typeof PeopleService> => ({
  async whoAmI(_, { values }) {
    const { userId, role } = values.get(ACTOR) as Person
    return {
      member: toMember({ ...(await memberOf(team.store.db, userId)), role }),
      teamId: team.id,
      teamName: team.name,
      fingerprint: await fingerprint(team.store.db),
      allowed: allowedTo(role),
      serverVersion: VERSION,
      needs: NEEDS,
    }
  },

  async listMembers(request) {
    const size = sizeOf(request)
    const [list, email] = after(request, ENDS as readonly [number, string]) ?? ENDS
    const members = list === MEMBERS ? await listMembers(team.store.db, size + 1, email) : []
    const left = size + 1 - members.length
    const invites =
      left > 0 ? await listInvites(team.store.db, team.now(), left, list === INVITES ? email : '') : []
    const all = [
      ...members.map(one => ({ list: MEMBERS, member: toMember(one) })),
      ...invites.map(one => ({ list: INVITES, member: toInvited(one) })),
    ]
    const { rows, nextPageToken } = paged(all, size, row => [row.list, row.member.email])
    return { members: rows.map(({ member }) => member), nextPageToken }
  },

  async inviteMember({ email, role }, { values }) {
    const { link, expiresAt } = await invite(team, values.get(ACTOR) as Person, email, role)
    return { link, expiresAt: time(expiresAt) }
  },

  async setMemberRole({ userId, role }, { values }) {
    if (userId.startsWith(INVITED)) {
      throw new RequestError(
        'not-now',
        'An invitation keeps its role. Invite the address again with another one.',
      )
    }
    const { member, keysEnded } = await setRole(team, values.get(ACTOR) as Person, userId, role)
    return { member: toMember(member), enrolmentKeysEnded: keysEnded }
  },

  async removeMember({ userId }, { values }) {
    const actor = values.get(ACTOR) as Person
    if (!userId.startsWith(INVITED)) {
      const { keysEnded } = await removeMember(team, actor, userId)
      return { enrolmentKeysEnded: keysEnded }
    }
    await withdraw(team, actor, userId.slice(INVITED.length))
    return {}
  },

  async listTokens(request, { values }) {
    const { userId } = values.get(ACTOR) as Person
    const { rows, nextPageToken } = await pageOf(
      request,
      ENDS as readonly [number, string],
      (last, limit) => pageOfTokens(team.store.db, userId, last, limit),
      row => [row.created_at, row.id],
    )
    return { tokens: rows.map(toToken), nextPageToken }
  },

  async createToken(request, { values }) {
    const { token, secret } = await createToken(team, values.get(ACTOR) as Person, request)
    return { token: toToken(token), secret }
  },

  async revokeToken({ id }, { values }) {
    await revokeToken(team, values.get(ACTOR) as Person, id)
    return {}
  },

  getServer: async () => ({
    url: team.url,
    version: VERSION,
    database: team.store.kind as string,
    oidcIssuer: about.oidcIssuer,
    oidcDomains: [...about.oidcDomains],
    oidcDefaultRole: about.oidcDefaultRole,
    otlpUrl: about.otlpUrl,
    hasSandbox: (await team.sandbox()).sandbox !== null,
    sandboxProblem: (await team.sandbox()).reason,
    pushDegraded: about.isPushDegraded(),
  }),
})

const NEEDS = Object.fromEntries(
  Object.entries(METHODS).filter(([, allowed]) => ROLES.some(one => one === allowed)),
)

const allowedTo = (role: Role): string[] =>
  Object.entries(METHODS)
    .filter(([, allowed]) => ROLES.some(one => one === allowed) && isAtLeast(role, allowed as Role))
    .map(([method]) => method)

const time = (at: number): string => (at === 0 ? '' : new Date(at).toISOString())

const toMember = ({ userId, name, email, role, joinedAt, lastSeenAt, signsInBy }: MemberRecord) => ({
  userId,
  name,
  email,
  role: role as string,
  joinedAt: time(joinedAt),
  lastSeenAt: time(lastSeenAt),
  signsInBy: signsInBy as string,
})

const toInvited = ({ id, email, role }: InviteRow) => ({
  userId: `${INVITED}${id}`,
  name: '',
  email,
  role,
  joinedAt: '',
  lastSeenAt: '',
  signsInBy: 'invited',
})

const toToken = ({ id, name, role, created_at, expires_at, last_used_at }: TokenRow) => ({
  id,
  name,
  role,
  createdAt: time(created_at),
  expiresAt: time(expires_at),
  lastUsedAt: time(last_used_at),
})

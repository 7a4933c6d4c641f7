// The library for passwords, sessions and the device code flow. Its own web paths are only called from here, so that no
// unused one is reachable.

import { betterAuth } from 'better-auth'
import { APIError } from 'better-auth/api'
import { getAdapter } from 'better-auth/db/adapter'
import { CONNECTION_FAILURE, type Db, type Tx } from '../store/open.js'
import type { Team } from '../team.js'
import { hashing } from './adapter.js'
import { ADDRESS_HEADER, type AuthParts, authOptions, BASE } from './auth-options.js'

export interface Asking {
  readonly headers: Headers
  readonly address: string
}

export interface SignedIn {
  readonly user: { readonly id: string; readonly email: string; readonly name: string }
  readonly cookies: readonly string[]
}

export interface Auth {
  /** Calls one of the library's paths, as the browser would. */
  ask(path: string, from: Asking, body?: Readonly<Record<string, unknown>>): Promise<Response>
  session(from: Asking): Promise<SignedIn | null>
  isOwnPassword(from: Asking, password: string): Promise<boolean>
  hash(password: string): Promise<string>
  addUser(tx: Tx, user: { name: string; email: string; hash: string }): Promise<string>
}

export async function openAuth(team: Team, parts: AuthParts): Promise<Auth> {
  const { store } = team
  const { origin } = new URL(team.url)
  const options = authOptions(team, parts)
  const adapterFor = async (db: Db | Tx) =>
    hashing(await getAdapter({ ...options, database: { db: db as never, type: store.kind } }))
  const adapter = await adapterFor(store.db)
  const auth = betterAuth({ ...options, database: () => adapter })
  const context = await auth.$context

  const passedOn = ({ headers, address }: Asking): Headers => {
    const copy = new Headers()
    for (const name of ['cookie', 'user-agent']) {
      const value = headers.get(name)
      if (value) copy.set(name, value)
    }
    // The origin of the browser was verified before.
    copy.set('origin', origin)
    copy.set(ADDRESS_HEADER, address)
    return copy
  }

  return {
    ask(path, from, body) {
      const headers = passedOn(from)
      if (body) headers.set('content-type', 'application/json')
      return auth.handler(
        new Request(`${origin}${BASE}${path}`, {
          method: body ? 'POST' : 'GET',
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        }),
      )
    },
    async session(from) {
      if (!from.headers.get('cookie')?.includes('holdfast.session_token=')) return null
      try {
        const { response, headers } = await auth.api.getSession({
          headers: passedOn(from),
          returnHeaders: true,
        })
        if (!response) return null
        const { id, email, name } = response.user
        return { user: { id, email, name }, cookies: headers.getSetCookie() }
      } catch (error) {
        // An invalid cookie. The library reports a failing database with 500, which signs nobody out.
        if (error instanceof APIError && error.statusCode < 500) return null
        throw error instanceof APIError ? Object.assign(error, { code: CONNECTION_FAILURE }) : error
      }
    },
    async isOwnPassword(from, password) {
      try {
        return (await auth.api.verifyPassword({ headers: passedOn(from), body: { password } })).status
      } catch (error) {
        if (error instanceof APIError && error.statusCode < 500) return false
        throw error
      }
    },
    hash: password => context.password.hash(password),
    async addUser(tx, { name, email, hash }) {
      const inside = await adapterFor(tx)
      const at = new Date()
      const user = await inside.create<Record<string, unknown>, { id: string }>({
        model: 'user',
        data: { name, email, emailVerified: false, createdAt: at, updatedAt: at },
      })
      await inside.create({
        model: 'account',
        data: {
          userId: user.id,
          accountId: user.id,
          providerId: 'credential',
          password: hash,
          createdAt: at,
          updatedAt: at,
        },
      })
      return user.id
    },
  }
}

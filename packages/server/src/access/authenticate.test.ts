// The entry point of every call, without a network: authorisation, cross-site calls, streams and the concurrency limit.

import { Code, type ConnectError, createContextValues } from '@connectrpc/connect'
import { AuditService } from '@holdfast/team'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RequestError } from '../request-error.js'
import { isAtLeast } from '../roles.js'
import { ACTOR, type Actor, type Person } from './actor.js'
import { ADDRESS } from './address.js'
import { AUTHENTICATION, type Authenticator, authenticate, guardCalls, mayCall } from './authenticate.js'

const nobody: Actor = { kind: 'nobody', address: '' }
const device: Actor = { kind: 'device', deviceId: 'd', address: '' }
const person: Person = {
  kind: 'person',
  userId: 'u',
  name: 'n',
  role: 'auditor',
  via: 'session',
  address: '',
}
const as = (role: Person['role'], via: Person['via'] = 'session'): Person => ({ ...person, role, via })

describe('a method', () => {
  const codeFor = (method: string, actor: Actor) => mayCall(method, actor)?.code ?? 'allowed'

  it('that is in no table is called by nobody', () => {
    for (const actor of [nobody, device, as('owner')]) {
      for (const method of [
        ...['PeopleService/MakeMeOwner', '', 'AuditService/', 'auditservice/searchrecords'],
        ...['constructor', 'toString', '__proto__'],
      ]) {
        expect(codeFor(method, actor), method).toBe('forbidden')
      }
    }
  })

  it('is closed to a role that does not exist', () => {
    expect(codeFor('AuditService/SearchRecords', as('superuser' as never))).toBe('forbidden')
    expect(isAtLeast('owner', 'superuser' as never)).toBe(false)
    expect(isAtLeast('superuser' as never, 'superuser' as never)).toBe(false)
  })

  it('for devices is closed to people, and the other way round', () => {
    expect(codeFor('DeviceService/Report', device)).toBe('allowed')
    expect(codeFor('DeviceService/Report', as('owner'))).toBe('forbidden')
    expect(codeFor('AuditService/SearchRecords', device)).toBe('forbidden')
    expect(codeFor('AuditService/SearchRecords', as('auditor'))).toBe('allowed')
  })

  it('for anyone is open to all', () => {
    for (const actor of [nobody, device, person])
      expect(codeFor('DeviceService/Enrol', actor)).toBe('allowed')
  })
})

const authenticatorFor = (actor: () => Actor, changes = () => 1): Authenticator => ({
  identify: async () => ({ actor: actor(), cookies: [] }),
  refused() {},
  changes,
  url: 'https://team.example',
})

describe('a call from another site', () => {
  const METHOD = 'AuditService/SearchRecords'
  const free = { take: async () => null }
  const codeFor = async (actor: Actor, headers: Record<string, string>, method = 'POST') => {
    const asked = { method, header: new Headers(headers) }
    const { refusal } = await authenticate(
      authenticatorFor(() => actor),
      free,
      METHOD,
      asked,
      '',
    )
    return refusal?.code ?? 'allowed'
  }

  it.each([
    [{ origin: 'https://team.example' }, 'allowed'],
    [{ 'sec-fetch-site': 'same-origin' }, 'allowed'],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 'allowed'],
    [{}, 'forbidden'],
    [{ origin: 'null' }, 'forbidden'],
    [{ origin: 'https://evil.example' }, 'forbidden'],
    [{ origin: 'http://team.example' }, 'forbidden'],
    [{ origin: 'https://team.example:444' }, 'forbidden'],
    [{ origin: 'https://team.example.evil' }, 'forbidden'],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://team.example' }, 'forbidden'],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://team.example' }, 'forbidden'],
    [{ 'sec-fetch-site': 'none', origin: 'https://team.example' }, 'forbidden'],
    [{ 'sec-fetch-site': '', origin: 'https://team.example' }, 'forbidden'],
  ])('%j with a cookie is %s', async (headers, expected) => {
    expect(await codeFor(person, headers)).toBe(expected)
  })

  it('counts with a token, and by GET', async () => {
    expect(await codeFor(as('auditor', 'token'), {})).toBe('allowed')
    expect(await codeFor(person, {}, 'GET')).toBe('allowed')
    expect(await codeFor(nobody, {}, 'GET')).toBe('unknown-caller')
  })

  it('takes a turn of a device only when it may call', async () => {
    const taken: string[] = []
    const rateLimit = {
      take: async (method: string, id: string) => {
        taken.push(`${method} ${id}`)
        return new RequestError('too-much', 'wait')
      },
    }
    const asked = { method: 'POST', header: new Headers({ origin: 'https://team.example' }) }
    const codeOf = async (method: string, actor: Actor) =>
      (
        await authenticate(
          authenticatorFor(() => actor),
          rateLimit,
          method,
          asked,
          '',
        )
      ).refusal?.code
    expect(await codeOf('DeviceService/Report', device)).toBe('too-much')
    expect(await codeOf(METHOD, device)).toBe('forbidden')
    expect(await codeOf(METHOD, person)).toBeUndefined()
    expect(taken).toEqual(['DeviceService/Report d'])
  })
})

describe('an open stream', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** A stream that says a word whenever it is asked for one. */
  async function open(start: Actor, service: typeof AuditService, name: string) {
    const state = { actor: start, changes: 1, asked: 0, inside: start as Actor | undefined }
    const authenticator: Authenticator = {
      ...authenticatorFor(() => {
        state.asked++
        return state.actor
      }),
      changes: () => state.changes,
    }
    async function* words() {
      for (let word = 0; ; word++) yield word
    }
    const request = {
      stream: true,
      service,
      method: service.methods.find(method => method.name === name)!,
      header: new Headers(),
      signal: new AbortController().signal,
      contextValues: createContextValues()
        .set(ADDRESS, '192.0.2.1')
        .set(AUTHENTICATION, Promise.resolve({ caller: { actor: start, cookies: [] }, refusal: null })),
    }
    const log = { info() {}, warn() {}, error() {} }
    const next = async () => ({ stream: true, header: new Headers(), message: words() })
    const response = await guardCalls(authenticator, log)(next as never)(request as never)
    const messages = (response as unknown as { message: AsyncGenerator<number> }).message
    const code = () =>
      messages.next().then(
        ({ value }) => value,
        error => Code[(error as ConnectError).code],
      )
    return { state, code }
  }

  it('of a person ends with the next word after a change of what they may do', async () => {
    const { state, code } = await open(person, AuditService, 'WatchTeam')
    expect([await code(), state.asked]).toEqual([0, 0])
    state.actor = nobody
    expect(await code()).toBe(1)
    state.changes++
    expect(await code()).toBe('Unauthenticated')
  })

  it('of a person ends within ten seconds after a session or token expired', async () => {
    const { state, code } = await open(as('auditor', 'token'), AuditService, 'WatchTeam')
    expect(await code()).toBe(0)
    vi.advanceTimersByTime(10_001)
    expect([await code(), state.asked]).toEqual([1, 1])
    state.actor = nobody
    vi.advanceTimersByTime(10_000)
    expect(await code()).toBe(2)
    vi.advanceTimersByTime(1)
    expect(await code()).toBe('Unauthenticated')
  })

  it('of a person whose role no longer suffices ends', async () => {
    const { state, code } = await open(as('admin'), AuditService, 'WatchTeam')
    await code()
    state.changes++
    state.actor = as('auditor')
    expect(await code()).toBe(1)
    state.changes++
    state.actor = device
    expect(await code()).toBe('PermissionDenied')
  })
})

describe('an error', () => {
  const answer = async (error: unknown) => {
    const refused: string[] = []
    const logged: unknown[] = []
    const request = {
      service: AuditService,
      method: AuditService.method.searchRecords,
      header: new Headers(),
      signal: new AbortController().signal,
      contextValues: createContextValues().set(
        AUTHENTICATION,
        Promise.resolve({ caller: { actor: person, cookies: [] }, refusal: null }),
      ),
    }
    const authenticator = {
      ...authenticatorFor(() => person),
      refused: (what: string) => void refused.push(what),
    }
    const log = { info() {}, warn() {}, error: (_: string, facts: unknown) => void logged.push(facts) }
    const next = () => Promise.reject(error)
    const thrown = await guardCalls(
      authenticator,
      log,
    )(next as never)(request as never).catch((caught: ConnectError) => caught)
    const { code, rawMessage } = thrown as ConnectError
    return { code: Code[code], message: rawMessage, refused: refused.length, logged: logged.length }
  }

  it.each([
    ['invalid', 'InvalidArgument', 0],
    ['missing', 'NotFound', 0],
    ['exists', 'AlreadyExists', 0],
    ['stale', 'Aborted', 0],
    ['not-now', 'FailedPrecondition', 0],
    ['forbidden', 'PermissionDenied', 1],
    ['unknown-caller', 'Unauthenticated', 1],
    ['too-much', 'ResourceExhausted', 1],
  ] as const)('%s is answered as %s, and noted %i times', async (code, expected, refused) => {
    expect(await answer(new RequestError(code, 'why'))).toEqual({
      code: expected,
      message: 'why',
      refused,
      logged: 0,
    })
  })

  it('of the server itself says nothing of what failed', async () => {
    const { code, message, logged } = await answer(new Error('the password is hunter2'))
    expect([code, logged]).toEqual(['Internal', 1])
    expect(message).not.toContain('hunter2')
  })

  it('without a decision about the caller is a refusal', async () => {
    const request = {
      service: AuditService,
      method: AuditService.method.searchRecords,
      header: new Headers(),
      signal: new AbortController().signal,
      contextValues: createContextValues(),
    }
    const next = vi.fn()
    const called = guardCalls(
      authenticatorFor(() => as('owner')),
      { info() {}, warn() {}, error() {} },
    )(next)
    await expect(called(request as never)).rejects.toMatchObject({ code: Code.Unauthenticated })
    expect(next).not.toHaveBeenCalled()
  })
})

describe('a call that gets in', () => {
  const HERE = '192.0.2.7'
  const call = async (
    actor: Actor,
    next: (request: { contextValues: ReturnType<typeof createContextValues> }) => unknown,
    cookies: string[] = [],
  ) => {
    const noted: string[] = []
    const authenticator = {
      ...authenticatorFor(() => actor),
      refused: (...said: string[]) => void noted.push(said.join(' | ')),
    }
    const caller = { actor, cookies }
    const request = {
      service: AuditService,
      method: AuditService.method.searchRecords,
      header: new Headers(),
      signal: new AbortController().signal,
      contextValues: createContextValues()
        .set(ADDRESS, HERE)
        .set(AUTHENTICATION, Promise.resolve({ caller, refusal: null })),
    }
    const through = guardCalls(authenticator, { info() {}, warn() {}, error() {} })(next as never)
    const answer = await through(request as never).catch((error: ConnectError) => error)
    return { answer, noted, again: () => through(request as never) }
  }
  const answered = async () => ({ stream: false, header: new Headers(), message: {} })

  it('is made in the name of its caller, whose renewed session goes back', async () => {
    let inside: Actor | undefined
    const { answer } = await call(
      person,
      async request => {
        inside = request.contextValues.get(ACTOR)
        return answered()
      },
      ['a=1', 'b=2'],
    )
    expect(inside).toBe(person)
    expect((answer as { header: Headers }).header.getSetCookie()).toEqual(['a=1', 'b=2'])
  })

  it.each([
    ['a person', person, `n ${HERE}`],
    ['a device', device, `device d ${HERE}`],
    ['nobody', nobody, HERE],
  ])('and is refused inside is noted with the name and address of %s', async (_, actor, who) => {
    const refuse = async () => {
      throw new RequestError('forbidden', 'why')
    }
    const { noted } = await call(actor as Actor, refuse)
    expect(noted).toEqual([`AuditService/SearchRecords | ${who} | why`])
  })

  it('and is refused again for what was noted a moment ago receives the time to come back, and is not noted', async () => {
    const refuse = (isKnown: boolean) => async () => {
      throw new RequestError('too-much', 'why', { isKnown, waitSeconds: 7 })
    }
    const first = await call(device, refuse(false))
    const second = await call(device, refuse(true))
    expect([first.noted.length, second.noted.length]).toEqual([1, 0])
    for (const { answer } of [first, second]) {
      expect((answer as ConnectError).metadata.get('retry-after')).toBe('7')
    }
  })

  it('is one of 64 that a person has under way', async () => {
    const { again } = await call(person, answered)
    for (let count = 1; count < 64; count++) await again()
    await expect(again()).rejects.toMatchObject({ code: Code.ResourceExhausted })
  })

  it('with a text that the database cannot store is the fault of the caller', async () => {
    const fail = async () => {
      throw Object.assign(new Error('invalid byte sequence'), { code: '22021' })
    }
    const { answer } = await call(person, fail)
    expect((answer as ConnectError).code).toBe(Code.InvalidArgument)
  })
})

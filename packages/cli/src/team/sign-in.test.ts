import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as device from '@holdfast/team/device'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { handOver } from '../model.js'
import { askForCode, type Code, serverAddress, waitForYes } from './sign-in.js'

// The command loads this package through its launcher.
beforeAll(() => handOver((async () => device) as never))

let server: Server | undefined
afterEach(async () => {
  server?.closeAllConnections()
  await new Promise(resolve => (server ? server.close(resolve) : resolve(null)))
  server = undefined
})

/** Responds to each call in turn; returns its address and the calls that came. */
async function serve(...replies: readonly ((response: ServerResponse) => void)[]) {
  const calls: string[] = []
  server = createServer((request, response) => {
    calls.push(request.url!)
    request.resume()
    replies[Math.min(calls.length, replies.length) - 1]!(response)
  })
  await new Promise<void>(resolve => server!.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }
}
const json = (value: object) => (response: ServerResponse) => void response.end(JSON.stringify(value))
const codeFor = (changes: Partial<Code> = {}): Code => ({
  userCode: 'BCDF-GHJK',
  page: '',
  pageWithCode: '',
  deviceCode: 'd',
  intervalMs: 0,
  expiresAt: Number.POSITIVE_INFINITY,
  fingerprint: '',
  ...changes,
})
const here = () => new AbortController().signal

describe('the address of a server', () => {
  it.each([
    ['hooks.example.com', 'https://hooks.example.com'],
    ['https://hooks.example.com/team//', 'https://hooks.example.com/team'],
    ['http://localhost:3000/', 'http://localhost:3000'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%s is %s', (text, address) => {
    expect(serverAddress(text)).toBe(address)
  })

  it.each([
    'http://hooks.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://127.0.0.1@example.com',
    'http://0.0.0.0',
    'ftp://localhost',
    'file:///etc/passwd',
  ])('%s is refused, as it is not https', text => {
    expect(() => serverAddress(text)).toThrow('A team server needs https')
  })
})

it.each([301, 302, 307, 308])('follows no redirect (%s) with what it sends', async status => {
  const { url, calls } = await serve(response => response.writeHead(status, { location: '/elsewhere' }).end())
  await expect(askForCode(url, { name: 'n', system: 's' })).rejects.toThrow('cannot be reached')
  expect(calls).toEqual(['/device/code'])
})

it.each([
  ['without a device code', { user_code: 'BCDF-GHJK' }, 'does not respond like a Holdfast team server'],
  ['without a user code', { device_code: 'd' }, 'does not respond like a Holdfast team server'],
  ['with an error beside a code', { device_code: 'd', user_code: 'u', error: 'no' }, 'no'],
])('takes no code from a response %s', async (_, reply, words) => {
  const { url } = await serve(json(reply))
  await expect(askForCode(url, { name: 'n', system: 's' })).rejects.toThrow(words)
})

describe('waiting for approval', () => {
  it('polls until the code is approved, also through a restart of the server', async () => {
    const { url, calls } = await serve(
      json({ error: 'authorization_pending' }),
      response => response.destroy(),
      json({ access_token: 'token' }),
    )
    expect(await waitForYes(url, codeFor(), here())).toBe('token')
    expect(calls).toEqual(['/device/token', '/device/token', '/device/token'])
  })

  it.each([
    [{ error: 'access_denied' }, 'was declined on the page'],
    [{ error: 'expired_token' }, 'The code has expired'],
    [{ error: 'invalid_grant', error_description: 'It was used.' }, 'It was used.'],
    [{ access_token: 1, error: 'server_error' }, 'server_error'],
  ])('ends with %o', async (reply, words) => {
    const { url, calls } = await serve(json(reply))
    await expect(waitForYes(url, codeFor(), here())).rejects.toThrow(words)
    expect(calls).toHaveLength(1)
  })

  it('asks no more after the code has expired, or when the user gives up', async () => {
    const { url, calls } = await serve(json({ access_token: 'token' }))
    await expect(waitForYes(url, codeFor({ expiresAt: 0 }), here())).rejects.toThrow(
      'Nobody approved the code',
    )
    await expect(waitForYes(url, codeFor(), AbortSignal.abort())).rejects.toThrow('The sign-in was cancelled')
    expect(calls).toEqual([])
  })
})

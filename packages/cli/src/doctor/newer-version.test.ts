// The hint for a newer version, against a registry on loopback.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isNewer, newerVersion } from './newer-version.js'

const base = mkdtempSync(join(tmpdir(), 'holdfast-newer-'))
let server: Server
let homes = 0
let home = ''
let calls: string[] = []
let body = '{"version":"0.2.0"}'

beforeAll(async () => {
  server = createServer((request, response) => {
    calls.push(request.url!)
    response.end(body)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
})
beforeEach(() => {
  home = join(base, String(homes++))
  calls = []
  body = '{"version":"0.2.0"}'
})
afterAll(() => {
  server.close()
  rmSync(base, { recursive: true })
})

const env = (more: NodeJS.ProcessEnv = { HOLDFAST_UPDATE_CHECK: '1' }) => ({
  npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  ...more,
})

it('contacts no registry without the setting', async () => {
  expect(await newerVersion('0.1.0', home, env({}))).toBeUndefined()
  expect(await newerVersion('0.1.0', home, env({ HOLDFAST_UPDATE_CHECK: '0' }))).toBeUndefined()
  expect(calls).toEqual([])
})

it('returns a newer version, and asks once a day', async () => {
  let time = 1_000_000
  const now = () => time
  expect(await newerVersion('0.1.0', home, env(), now)).toBe('0.2.0')
  body = '{"version":"0.3.0"}'
  expect(await newerVersion('0.1.0', home, env(), now)).toBe('0.2.0')
  expect(calls).toEqual(['/holdfast/latest'])
  time += 25 * 60 * 60 * 1000
  expect(await newerVersion('0.1.0', home, env(), now)).toBe('0.3.0')
})

it('returns nothing for this version', async () => {
  expect(await newerVersion('0.2.0', home, env())).toBeUndefined()
})

it.each(['', 'no JSON', '{}', '{"version":"9.9.9\\u001b[31m"}', '{"version":"1.0.0-beta.1"}', '[]'])(
  'returns nothing for the answer %j',
  async answer => {
    body = answer
    expect(await newerVersion('0.1.0', home, env())).toBeUndefined()
  },
)

it('returns nothing without a registry', async () => {
  const away = { HOLDFAST_UPDATE_CHECK: '1', npm_config_registry: 'http://127.0.0.1:9' }
  expect(await newerVersion('0.1.0', home, away)).toBeUndefined()
})

it.each([
  ['0.2.0', '0.1.9', true],
  ['1.0.0', '0.9.9', true],
  ['0.10.0', '0.9.0', true],
  ['0.1.0', '0.1.0', false],
  ['0.1.0', '0.2.0', false],
])('compares %s with %s as %s', (latest, current, newer) => expect(isNewer(latest, current)).toBe(newer))

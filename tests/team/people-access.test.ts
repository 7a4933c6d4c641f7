// Single functions of authentication.

import { readFileSync } from 'node:fs'
import { format, inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { addressOf, networkOf } from '../../packages/server/src/access/address.js'
import { DelayedWork } from '../../packages/server/src/access/later.js'
import { isSameOrigin } from '../../packages/server/src/access/origin.js'
import { Secret } from '../../packages/server/src/access/secret.js'
import { fits, mint, read } from '../../packages/server/src/access/token.js'
import { html } from '../../packages/server/src/people/pages/html.js'
import { VERSION } from '../../packages/server/src/version.js'

it('the server knows its version', () => {
  const manifest = readFileSync(new URL('../../packages/server/package.json', import.meta.url), 'utf8')
  expect(VERSION).toBe((JSON.parse(manifest) as { version: string }).version)
})

describe('a secret', () => {
  it('does not show in whatever is made of it', () => {
    const secret = new Secret('the text')
    const shown = [
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }),
      format('%s %o %j', secret, secret, secret),
    ]
    for (const text of shown) expect(text).not.toContain('the text')
    expect(secret.reveal()).toBe('the text')
  })
})

describe('a token', () => {
  it('is 256 bits of chance, and only its hash is kept', () => {
    const one = mint('hfp')
    expect(one.text.reveal()).toMatch(/^hfp_[0-9a-f]{16}_[0-9a-f]{64}$/)
    const shown = read(one.text.reveal())!
    expect(shown).toMatchObject({ prefix: 'hfp', id: one.id, fingerprint: '' })
    expect(fits(shown.secret, one.hash)).toBe(true)
    expect(fits(shown.secret, mint('hfp').hash)).toBe(false)
    expect(fits(new Secret(''), one.hash)).toBe(false)
    expect(fits(shown.secret, '')).toBe(false)
    expect(one.hash).not.toContain(shown.secret.reveal())
  })
  it.each(['', 'hfp', 'hfp_x_y', `hfx_${'0'.repeat(16)}_${'0'.repeat(64)}`, 'x'.repeat(100_000)])(
    '%#',
    text => expect(read(text)).toBe(null),
  )
})

describe('the address', () => {
  const hop = (forwarded: string | undefined, remoteAddress = '10.0.0.1') => ({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    socket: { remoteAddress },
  })
  it.each([
    [hop('1.2.3.4'), 0, '10.0.0.1'],
    [hop(undefined), 1, '10.0.0.1'],
    [hop('1.2.3.4'), 1, '1.2.3.4'],
    [hop('6.6.6.6, 1.2.3.4'), 1, '1.2.3.4'],
    [hop('6.6.6.6, 1.2.3.4, 10.0.0.9'), 2, '1.2.3.4'],
    [hop('1.2.3.4'), 2, '10.0.0.1'],
    [hop('not an address'), 1, '10.0.0.1'],
    [hop('2001:db8::1'), 1, '2001:db8::1'],
    [hop(undefined, '::ffff:192.0.2.1'), 0, '192.0.2.1'],
  ])('%j behind %d is %s', (request, proxies, address) => expect(addressOf(request, proxies)).toBe(address))

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:0DB8:1:2::', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))
})

describe('where a form comes from', () => {
  const ask = (headers: Record<string, string>) =>
    isSameOrigin(new Headers(headers), 'https://team.example/x')
  it.each([
    [{ origin: 'https://team.example' }, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://other.example' }, true],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://team.example' }, false],
    [{ 'sec-fetch-site': 'none', origin: 'https://team.example' }, false],
    [{ origin: 'https://team.example.evil.org' }, false],
    [{ origin: 'http://team.example' }, false],
    [{ origin: 'null' }, false],
    [{ referer: 'https://team.example/' }, false],
    [{}, false],
  ] as [Record<string, string>, boolean][])('%j: %s', (headers, is) => expect(ask(headers)).toBe(is))
})

describe('html', () => {
  it('escapes what it is given and keeps what it made', () => {
    const inner = html`<b>${'<i>'}</b>`
    expect(html`${inner} ${[inner]} ${'"\'&'} ${7} ${null}`.text).toBe(
      '<b>&#60;i&#62;</b> <b>&#60;i&#62;</b> &#34;&#39;&#38; 7 ',
    )
  })
})

describe('later', () => {
  it('does once what many asked for, and one after the other', async () => {
    const done: string[] = []
    const later = new DelayedWork(5, async () => {
      done.push('begin')
      await new Promise(resolve => setTimeout(resolve, 10))
      done.push('end')
    })
    for (let i = 0; i < 10; i++) later.soon()
    await expect.poll(() => done, { timeout: 30_000 }).toEqual(['begin', 'end'])
    later.soon()
    await Promise.all([later.now(), later.now()])
    expect(done).toEqual(['begin', 'end', 'begin', 'end', 'begin', 'end'])
  })
})

// A device behind a proxy, on this machine: plain and encrypted, with a certificate authority of the company.

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchThrough, proxyFor } from './proxy.js'
import { cleanUp, freshDevice, freshFolder, publish } from './testing/device.js'
import { bundleChild, ended, start } from './testing/process.js'

cleanUp()
const servers: Server[] = []
const sockets = new Set<Socket>()
afterEach(async () => {
  // A server does not end its tunnels.
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})
async function listening(server: Server): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Leads every target to one port, and writes down what it was asked for. */
async function startProxy(to: number, refuses = false) {
  const asked: string[] = []
  const auth: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    auth.push(request.headers['proxy-authorization'])
    const { pathname, search } = new URL(request.url!)
    const { headers, method } = request
    fetch(`http://127.0.0.1:${to}${pathname}${search}`, {
      method: method!,
      headers: Object.entries(headers).filter(
        ([name]) => !/^(host|connection|proxy-.*|transfer-encoding|content-length)$/.test(name),
      ) as never,
      ...(method === 'POST' ? { body: request as never, duplex: 'half' } : {}),
    } as RequestInit).then(async answer => {
      const names = ['content-type', 'etag']
      for (const name of names)
        if (answer.headers.has(name)) response.setHeader(name, answer.headers.get(name)!)
      response.writeHead(answer.status)
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
  })
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    auth.push(request.headers['proxy-authorization'])
    if (refuses) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const outer = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(outer).pipe(socket)
    })
    sockets.add(outer)
    outer.on('error', () => socket.destroy())
    socket.on('error', () => outer.destroy())
  })
  return { port: await listening(server), asked, auth }
}

describe('which proxy', () => {
  const proxy = { HTTPS_PROXY: 'http://proxy:3128' }
  it.each([
    ['https://hooks.example.com/', proxy, 'http://proxy:3128/'],
    ['https://hooks.example.com/', { https_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
    ['https://hooks.example.com/', { ALL_PROXY: 'http://all' }, 'http://all/'],
    ['http://hooks.example.com/', proxy, undefined],
    ['http://hooks.example.com/', { HTTP_PROXY: 'http://plain' }, 'http://plain/'],
    ['https://hooks.example.com/', {}, undefined],
    ['https://hooks.example.com/', { HTTPS_PROXY: '' }, undefined],
    ['https://hooks.example.com/', { ...proxy, NO_PROXY: '*' }, undefined],
    ['https://hooks.example.com/', { ...proxy, NO_PROXY: 'a.b, .example.com' }, undefined],
    ['https://hooks.example.com/', { ...proxy, no_proxy: 'EXAMPLE.com' }, undefined],
    ['https://hooks.example.com/', { ...proxy, NO_PROXY: '*.example.com' }, undefined],
    ['https://hooks.example.com/', { ...proxy, NO_PROXY: 'hooks.example.com:443' }, undefined],
    [
      'https://hooks.example.com:8443/',
      { ...proxy, NO_PROXY: 'hooks.example.com:443' },
      'http://proxy:3128/',
    ],
    ['https://hooks.example.com/', { ...proxy, NO_PROXY: 'ample.com,,x' }, 'http://proxy:3128/'],
    ['https://[::1]:8420/', { ...proxy, NO_PROXY: '::1' }, undefined],
    ['https://10.0.0.7/', { ...proxy, NO_PROXY: '10.0.0.7' }, undefined],
  ])('for %s with %j is %s', (url, env, expected) => {
    expect(proxyFor(new URL(url), env)?.href).toBe(expected)
  })

  it.each(['socks5://me:secret@proxy:1', 'http://', '::::'])('%s is an error, not a direct call', value => {
    expect(() => proxyFor(new URL('https://a.b/'), { HTTPS_PROXY: value })).toThrow('is not an http address')
    expect(() => proxyFor(new URL('https://a.b/'), { HTTPS_PROXY: value })).not.toThrow('secret')
  })
})

it('a device synchronises through a proxy', async () => {
  const device = await freshDevice()
  publish(device.server, 1)
  const proxy = await startProxy(Number(new URL(device.server.url).port))
  const before = { ...process.env }
  try {
    Object.assign(process.env, { HTTP_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}`, NO_PROXY: '' })
    expect(await device.sync()).toMatchObject({ kind: 'updated', inForce: { release: 1 } })
    expect(await device.sync()).toMatchObject({ kind: 'unchanged' })
    expect(proxy.asked[0]).toContain(`GET ${device.server.url}/holdfast.team.v1.DeviceService/GetTeamHooks`)
    expect(proxy.asked.some(one => one.includes('DeviceService/Report'))).toBe(true)
    expect(proxy.auth[0]).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  } finally {
    for (const name of ['HTTP_PROXY', 'NO_PROXY']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
})

it('a proxy that refuses, and one that is not there, are named', async () => {
  const refusing = await startProxy(1, true)
  const options = {
    method: 'GET',
    headers: new Headers(),
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
  } as const
  const through = (port: number) =>
    fetchThrough('https://hooks.example.test/', options, { HTTPS_PROXY: `http://127.0.0.1:${port}` })
  await expect(through(refusing.port)).rejects.toThrow(`the proxy 127.0.0.1:${refusing.port} answered 407`)
  await expect(through(1)).rejects.toThrow('ECONNREFUSED')
})

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
it.runIf(hasOpenssl && process.platform !== 'win32')(
  'TLS goes through the tunnel, under the authority in NODE_EXTRA_CA_CERTS',
  async () => {
    const folder = freshFolder()
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'ca.pem')]
    const subject = ['-subj', '/CN=hooks.example.test', '-addext', 'subjectAltName=DNS:hooks.example.test']
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '2',
        '-keyout',
        key,
        '-out',
        certificate,
        ...subject,
      ],
      { stdio: 'ignore' },
    )
    const secure = createSecure(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (request, response) => response.end(`served ${request.headers.host}`),
    )
    const proxy = await startProxy(await listening(secure as unknown as Server))
    const child = await bundleChild(folder)
    const url = 'https://hooks.example.test/'
    const run = async (env: string[]) => {
      const orders = { home: folder, teamId: 'acme', now: 0, what: 'fetch', url }
      return JSON.parse((await ended(start(child, orders, ['env', ...env]))).out)
    }
    const through = `HTTPS_PROXY=http://127.0.0.1:${proxy.port}`
    expect(await run([through, `NODE_EXTRA_CA_CERTS=${certificate}`])).toEqual([
      200,
      'served hooks.example.test',
    ])
    expect(await run([through])).toMatch(/self.signed certificate/)
    expect(proxy.asked).toEqual(['CONNECT hooks.example.test:443', 'CONNECT hooks.example.test:443'])
  },
)

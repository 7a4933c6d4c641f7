// Calls to a panel without a browser: by fetch, and as raw bytes where fetch would correct the request.

import { connect } from 'node:net'
import { create, fromJson, type MessageInitShape, type MessageShape, toJsonString } from '@bufbuild/protobuf'
import { PanelService } from '@holdfast/web/panel'

export interface Inside {
  readonly url: string
  readonly port: number
  readonly cookie: string
  readonly secret: string
  readonly again: string
  /** One call, as a page makes it. Throws the panel's error message. */
  call<M extends Method>(method: M, request?: MessageInitShape<Input<M>>): Promise<MessageShape<Output<M>>>
}

type Methods = (typeof PanelService)['method']
type Method = Exclude<keyof Methods, 'watch'>
type Input<M extends Method> = Methods[M]['input']
type Output<M extends Method> = Methods[M]['output']

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}

export const tokenOf = (link: string): string => new URL(link).hash.replace('#token=', '')

export const postEnter = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${url}/enter`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json', 'x-holdfast-panel': '1', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

export async function enter(link: string): Promise<Inside> {
  const { origin: url, port } = new URL(link)
  const response = await postEnter(url, { token: tokenOf(link) })
  if (!response.ok) throw new Error(`not let in: ${response.status}`)
  const cookie = response.headers.get('set-cookie')!.split(';')[0]!
  const { secret, again } = (await response.json()) as { secret: string; again: string }
  return {
    url,
    port: Number(port),
    cookie,
    secret,
    again,
    async call(method, request) {
      const { name, input, output } = PanelService.method[method]
      const answer = await fetch(`${url}${PATH}${name}`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/json', cookie, 'x-holdfast-panel': secret },
        body: toJsonString(input, create(input, (request ?? {}) as never)),
      })
      const said = (await answer.json()) as { code: string; message: string }
      if (!answer.ok) throw new Refused(answer.status, said.code, said.message)
      return fromJson(output, said as never) as never
    },
  }
}

export const PATH = '/holdfast.panel.v1.PanelService/'

/** The response to these bytes, until the other side closes or sends nothing for a while. */
export function raw(port: number, text: string, quietMs = 400): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    let said = ''
    let timer = setTimeout(done, 5000)
    function done() {
      clearTimeout(timer)
      socket.destroy()
      resolve(said)
    }
    socket.on('data', chunk => {
      said += chunk.toString('latin1')
      clearTimeout(timer)
      timer = setTimeout(done, quietMs)
    })
    socket.on('error', done)
    socket.on('close', done)
    socket.end(text)
  })
}

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)

/** A request as text, with a body of the right length. */
export const request = (line: string, headers: Readonly<Record<string, string>>, body = ''): string =>
  [
    line,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    'connection: close',
    '',
    body,
  ].join('\r\n')

export interface News {
  readonly runs?: readonly { readonly id: string; readonly subject?: string }[]
  readonly hooksChanged?: boolean
  readonly gap?: boolean
}

/** The stream of a page: its messages so far, and a function that ends it. */
export function openStream({ url, cookie, secret }: Inside, cursor = '') {
  const stop = new AbortController()
  const heard: News[] = []
  const listeners = new Set<() => void>()
  const ended = (async () => {
    const body = Buffer.from(JSON.stringify({ cursor }))
    const head = Buffer.alloc(5)
    head.writeUInt32BE(body.length, 1)
    const response = await fetch(`${url}${PATH}Watch`, {
      method: 'POST',
      signal: stop.signal,
      headers: {
        origin: url,
        'content-type': 'application/connect+json',
        cookie,
        'x-holdfast-panel': secret,
      },
      body: Buffer.concat([head, body]),
    })
    if (!response.ok) return response.status
    let rest = Buffer.alloc(0)
    for await (const chunk of response.body!) {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 5 && rest.length >= 5 + rest.readUInt32BE(1)) {
        const end = 5 + rest.readUInt32BE(1)
        if ((rest[0]! & 2) === 0) heard.push(JSON.parse(rest.toString('utf8', 5, end)))
        rest = rest.subarray(end)
        for (const listener of listeners) listener()
      }
    }
    return 200
  })().catch(error => (stop.signal.aborted ? 0 : error))
  return {
    heard,
    ended,
    stop: () => stop.abort(),
    /** Waits until the condition holds. */
    until(isSo: (heard: readonly News[]) => boolean, ms = 8000): Promise<void> {
      return new Promise((resolve, reject) => {
        const look = () => {
          if (!isSo(heard)) return
          clearTimeout(timer)
          listeners.delete(look)
          resolve()
        }
        const timer = setTimeout(() => {
          listeners.delete(look)
          reject(new Error(`not received in ${ms} ms: ${JSON.stringify(heard).slice(0, 500)}`))
        }, ms)
        listeners.add(look)
        look()
      })
    },
  }
}

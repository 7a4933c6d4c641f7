// A request for one of the pages, and its response.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { RequestError } from '../../request-error.js'
import type { Asking } from '../auth.js'
import type { Html } from './html.js'

/** Larger than any form. */
const LARGEST = 16 * 1024

export interface Visit extends Asking {
  readonly method: string
  readonly url: URL
  /** The body as a form. */
  form(): Promise<URLSearchParams>
  /** The body as a form, or as JSON with texts. */
  fields(): Promise<URLSearchParams>
}

export interface Reply {
  readonly status?: number
  readonly page?: Html
  readonly json?: Readonly<Record<string, unknown>>
  readonly css?: string
  readonly script?: string
  /** The path to redirect to. */
  readonly location?: string
  readonly cookies?: readonly string[]
}

export function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (!name.startsWith(':') && value !== undefined) headers.set(name, String(value))
  }
  return headers
}

export function toVisit(request: IncomingMessage, url: URL, address: string): Visit {
  const headers = headersOf(request)
  const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  const form = async (): Promise<URLSearchParams> => {
    if (type !== 'application/x-www-form-urlencoded') {
      throw new RequestError('invalid', 'Expected a form: application/x-www-form-urlencoded.')
    }
    return new URLSearchParams(await bodyOf(request))
  }
  const fields = async (): Promise<URLSearchParams> =>
    type === 'application/json' ? fromJson(await bodyOf(request)) : form()
  return { method: request.method ?? 'GET', url, headers, address, form, fields }
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    request.on('data', function add(part: Buffer) {
      size += part.length
      if (size <= LARGEST) return void parts.push(part)
      // The body is read and dropped until the response is sent: a blocked stream would block its connection.
      request.off('data', add)
      reject(new RequestError('too-much', `More than ${LARGEST} bytes were sent.`))
    })
    request.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
    request.on('error', reject)
    request.on('close', () => reject(new RequestError('invalid', 'The request was cut off.')))
  })
}

function fromJson(text: string): URLSearchParams {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RequestError('invalid', 'The body is not JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RequestError('invalid', 'The body is not a JSON object.')
  }
  const texts = Object.entries(value).filter(([, one]) => typeof one === 'string') as [string, string][]
  return new URLSearchParams(texts)
}

export function answer(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  const { status = 200, page, json, css, script, location, cookies = [] } = reply
  response.statusCode = location === undefined ? status : 303
  response.setHeader('cache-control', css === undefined ? 'no-store' : 'public, max-age=3600')
  if (cookies.length > 0) response.setHeader('set-cookie', [...cookies])
  if (location !== undefined) response.setHeader('location', location)
  leaveRest(request, response)
  const type = page
    ? 'text/html'
    : json
      ? 'application/json'
      : css !== undefined
        ? 'text/css'
        : script !== undefined
          ? 'text/javascript'
          : 'text/plain'
  response.setHeader('content-type', `${type}; charset=utf-8`)
  response.end(page?.text ?? (json ? JSON.stringify(json) : (css ?? script ?? '')))
}

/** The rest of the body is not awaited. */
function leaveRest(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return
  request.resume()
  response.setHeader('connection', 'close')
}

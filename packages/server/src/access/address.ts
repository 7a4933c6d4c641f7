// The address of a caller. Behind reverse proxies the last hop is the proxy. The operator gives their number, because a
// caller can put any number of addresses into the header.

import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { createContextKey } from '@connectrpc/connect'

export const ADDRESS = createContextKey('')

export interface Hop {
  readonly headers: IncomingHttpHeaders
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined
}

export function addressOf({ headers, socket }: Hop, proxies: number): string {
  const near = plain(socket?.remoteAddress ?? '')
  if (proxies === 0) return near
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  const far = plain((forwarded.at(-proxies) ?? '').trim())
  return isIP(far) ? far : near
}

/** An IPv4 address that came by IPv6 is the IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** The unit of rate limits: one connection has a whole /64 of IPv6, and could use a new address for every guess. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const gap = tail === undefined ? 0 : 8 - front.length - back.length
  return [...front, ...Array<string>(Math.max(gap, 0)).fill('0'), ...back]
    .slice(0, 4)
    .map(group => group.toLowerCase().replace(/^0+(?=.)/, ''))
    .join(':')
}

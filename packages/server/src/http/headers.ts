// The response headers for browsers.

import type { ServerResponse } from 'node:http'

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function secure(response: ServerResponse, isHttps: boolean): void {
  response.setHeader('content-security-policy', CSP)
  response.setHeader('x-content-type-options', 'nosniff')
  response.setHeader('referrer-policy', 'no-referrer')
  response.setHeader('cross-origin-opener-policy', 'same-origin')
  response.setHeader('cross-origin-resource-policy', 'same-origin')
  if (isHttps) response.setHeader('strict-transport-security', 'max-age=31536000')
}

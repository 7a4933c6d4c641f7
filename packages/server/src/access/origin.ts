// Whether a browser sends this from one of our own pages. A cookie is sent with requests of any page, so a cookie alone
// authorises no change.

export interface OriginHeaders {
  get(name: string): string | null
}

export function isSameOrigin(headers: OriginHeaders, url: string): boolean {
  const site = headers.get('sec-fetch-site')
  // Set by the browser; a page cannot change it. It is the same under every name of the server.
  if (site !== null) return site === 'same-origin'
  return headers.get('origin') === new URL(url).origin
}

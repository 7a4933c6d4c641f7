// Whether a browser sends this from one of our own pages. A cookie comes along whoever wrote the page, so nothing is
// changed on the word of a cookie alone.

export interface Asked {
  get(name: string): string | null
}

export function isSameOrigin(headers: Asked, url: string): boolean {
  const site = headers.get('sec-fetch-site')
  // The browser's own word, which a page cannot change; it says so under whatever name the server was reached.
  if (site !== null) return site === 'same-origin'
  return headers.get('origin') === new URL(url).origin
}

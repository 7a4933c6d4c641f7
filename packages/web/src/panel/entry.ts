// How the page gets in: once by the token in its link, later by the cookie. What runs or writes also needs a secret
// that this page alone keeps, in memory.

export interface Entry {
  readonly secret: string
}

export async function enter(): Promise<Entry | null> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  return (token === null ? null : await ask('/enter', { token })) ?? (await ask('/enter', {}))
}

async function ask(path: string, body: object): Promise<Entry | null> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-holdfast-panel': '1' },
    body: JSON.stringify(body),
  })
  return response.ok ? ((await response.json()) as Entry) : null
}

// The sign-in of the page: once by the token in its link, later by the cookie and a value in the storage of this origin.
// Every call also needs a secret that only this page has, in memory.

export interface Entry {
  readonly secret: string
  readonly again: string
}

export async function enter(): Promise<Entry | null> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token !== null) history.replaceState(null, '', location.pathname + location.search)
  const entry = token === null ? null : await ask('/enter', { token })
  if (!entry) return enterAgain()
  localStorage.setItem(AGAIN, entry.again)
  return entry
}

export const enterAgain = (): Promise<Entry | null> =>
  ask('/enter', { again: localStorage.getItem(AGAIN) ?? '' })

/** Called when another page of this browser signed in by a new link. */
export function onEntryElsewhere(run: () => void): () => void {
  const hear = ({ key }: StorageEvent) => {
    if (key === AGAIN) run()
  }
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}

/** Browsers send cookies to every port of a host, and this to none. */
const AGAIN = 'holdfast-again'

async function ask(path: string, body: object): Promise<Entry | null> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-holdfast-panel': '1' },
    body: JSON.stringify(body),
  })
  return response.ok ? ((await response.json()) as Entry) : null
}

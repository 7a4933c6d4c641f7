// JSON that can be read in one way only: whole UTF-8, no key twice. Nothing here throws.

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string }

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function parseStrict(bytes: Uint8Array): StrictJson {
  let text: string
  try {
    text = UTF8.decode(bytes)
  } catch {
    return { ok: false, message: 'it is not UTF-8 text' }
  }
  try {
    const value: unknown = JSON.parse(text)
    const twice = repeatedKey(text)
    return twice === undefined
      ? { ok: true, value }
      : { ok: false, message: `the key ${quote(twice)} stands twice in one object` }
  } catch {
    return { ok: false, message: 'it is not valid JSON' }
  }
}

/** Two readers may take different ones of two equal keys. Expects valid JSON. */
function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  let expectsKey = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '{') open.push(new Set())
    else if (sign === '[') open.push(undefined)
    else if (sign === '}' || sign === ']') open.pop()
    if (sign === '{' || sign === ',') expectsKey = open.at(-1) !== undefined
    else if (sign === ':' || sign === '[') expectsKey = false
    if (sign !== '"') continue
    const end = endOfString(text, at)
    const keys = open.at(-1)
    if (expectsKey && keys) {
      const key = JSON.parse(text.slice(at, end + 1)) as string
      if (keys.has(key)) return key
      keys.add(key)
    }
    at = end
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

/** In double quotes, short, and without anything that moves a terminal's cursor. */
export const quote = (text: string): string =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text).replace(
    /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

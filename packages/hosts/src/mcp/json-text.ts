// Places inside JSON text. What is not changed keeps its bytes: numbers of any size, order, escapes and spaces. All
// of it reads text that JSON.parse has taken before, so nothing here looks for mistakes.

export interface Place {
  readonly from: number
  readonly to: number
}

export interface Member extends Place {
  readonly key: string
}

const QUOTE = 34
const BACKSLASH = 92
const COMMA = 44
const COLON = 58
const OPEN = 123
const CLOSE = 125
const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9
const isOpening = (code: number) => code === 123 || code === 91
const isClosing = (code: number) => code === 125 || code === 93

export function firstOf(text: string, at = 0): number {
  let next = at
  // A byte order mark is nothing that JSON.parse lets through.
  while (isSpace(text.charCodeAt(next))) next++
  return next
}

/** The members of the object that begins there, including duplicate keys. */
export function membersOf(text: string, at: number): Member[] {
  const members: Member[] = []
  let next = firstOf(text, at + 1)
  while (!isClosing(text.charCodeAt(next))) {
    const keyEnd = afterString(text, next)
    const key = JSON.parse(text.slice(next, keyEnd)) as string
    const from = firstOf(text, firstOf(text, keyEnd) + 1)
    const to = afterValue(text, from)
    members.push({ key, from, to })
    next = firstOf(text, to)
    if (text.charCodeAt(next) === COMMA) next = firstOf(text, next + 1)
  }
  return members
}

/** Whether an object in the text, at any depth, has a key twice: two programs could read different values. */
export function repeatsKey(text: string): boolean {
  const open: Set<string>[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPEN) open.push(new Set())
    else if (code === CLOSE) open.pop()
    if (code !== QUOTE) continue
    const end = afterString(text, at)
    if (text.charCodeAt(firstOf(text, end)) === COLON) {
      const keys = open.at(-1)!
      const { size } = keys
      keys.add(JSON.parse(text.slice(at, end)))
      if (keys.size === size) return true
    }
    at = end - 1
  }
  return false
}

export function itemsOf(text: string, at: number): Place[] {
  const items: Place[] = []
  let next = firstOf(text, at + 1)
  while (!isClosing(text.charCodeAt(next))) {
    const to = afterValue(text, next)
    items.push({ from: next, to })
    next = firstOf(text, to)
    if (text.charCodeAt(next) === COMMA) next = firstOf(text, next + 1)
  }
  return items
}

export const textOf = (text: string, { from, to }: Place): string => text.slice(from, to)

export const withText = (text: string, { from, to }: Place, by: string): string =>
  text.slice(0, from) + by + text.slice(to)

/** The object with these keys set; the others stay as they are written. */
export const withKeys = (text: string, values: Readonly<Record<string, unknown>>): string =>
  withTexts(
    text,
    Object.entries(values).map(([key, value]) => [key, JSON.stringify(value) ?? 'null']),
  )

/** The same for values that are JSON text already. A duplicate key is set twice. */
export function withTexts(text: string, values: readonly (readonly [string, string])[]): string {
  const at = firstOf(text)
  const members = membersOf(text, at)
  const byKey = new Map(values)
  let out = text
  for (const member of members.toReversed()) {
    const value = byKey.get(member.key)
    if (value !== undefined) out = withText(out, member, value)
  }
  const added = values
    .filter(([key]) => !members.some(member => member.key === key))
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`)
  if (added.length === 0) return out
  const comma = members.length > 0 ? ',' : ''
  return `${out.slice(0, at + 1)}${added.join(',')}${comma}${out.slice(at + 1)}`
}

/** The array with one more item at its end. */
export function withItem(text: string, item: string): string {
  const last = itemsOf(text, firstOf(text)).at(-1)
  return last ? withText(text, { from: last.to, to: last.to }, `,${item}`) : `[${item}]`
}

function afterValue(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code === QUOTE) return afterString(text, at)
  let next = at
  if (!isOpening(code)) {
    for (; next < text.length; next++) {
      const end = text.charCodeAt(next)
      if (end === COMMA || isClosing(end) || isSpace(end)) break
    }
    return next
  }
  for (let depth = 0; ; next++) {
    const here = text.charCodeAt(next)
    if (here === QUOTE) next = afterString(text, next) - 1
    else if (isOpening(here)) depth++
    else if (isClosing(here) && --depth === 0) return next + 1
  }
}

function afterString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end + 1
  }
}

// Entries in a TOML file: one part at its end, between two comments, so that the rest of the file is not parsed.

import type { Edit } from '../edit/jsonc.js'
import type { NewEntry } from '../init/hooks-file.js'
import { UsageError } from '../usage-error.js'

const BEGIN = '# holdfast: begin. "holdfast uninstall" removes this part.'
const END = '# holdfast: end'
const BLOCK = new RegExp(`(?:^|\\n)${BEGIN}\\n[\\s\\S]*?\\n${END}\\n`)

type Fields = Readonly<Record<string, unknown>>

export function withBlock(file: string, text: string, entries: readonly NewEntry[]) {
  // An inline table cannot be extended further down.
  if (/^\s*hooks\s*=\s*\{/m.test(text)) {
    throw new UsageError(
      `${file} has "hooks" as an inline table. Write it as [hooks], then try again. Nothing was written.`,
    )
  }
  if (/^\s*\[\s*features\s*\]/m.test(text) && flagIn(text, ['features', 'hooks']) !== true) {
    throw new UsageError(
      `${file} has [features] without "hooks = true", so a repository could turn hooks off. Add it, then try again. Nothing was written.`,
    )
  }
  const start = text === '' || text.endsWith('\n') ? '' : '\n'
  const edits: Edit[] = [{ offset: text.length, length: 0, text: `${start}${blockOf(text, entries)}` }]
  return { text: text + edits[0]!.text, edits }
}

export function withoutBlock(text: string): string | undefined {
  const found = BLOCK.exec(text)
  if (!found) return undefined
  const before = text.slice(0, found.index) + (found[0].startsWith('\n') ? '\n' : '')
  return before + text.slice(found.index + found[0].length)
}

export function readBlock(text: string): NewEntry[] {
  const [block = ''] = BLOCK.exec(text) ?? []
  return block
    .split(/^\[\[hooks\./m)
    .slice(1)
    .filter(part => !/^\w+\.hooks\]\]/.test(part))
    .map(part => /^\w+/.exec(part)![0])
    .map(event => ({ event, entry: { hooks: handlersOf(block, event) } }))
}

function handlersOf(block: string, event: string): Fields[] {
  const parts = block.split(`[[hooks.${event}.hooks]]\n`).slice(1)
  return parts.map(part => {
    const [own = ''] = part.split(/^(?:\[|#)/m)
    const pairs = [...own.matchAll(/^(\w+) = (.*)$/gm)]
    return Object.fromEntries(pairs.map(([, key, value]) => [key!, JSON.parse(value!)]))
  })
}

/** The strings and numbers of JSON mean the same in TOML. */
function blockOf(text: string, entries: readonly NewEntry[]): string {
  // No repository can turn off a feature that is set here.
  const features = flagIn(text, ['features', 'hooks']) ? [] : ['[features]', 'hooks = true']
  const lines = entries.flatMap(({ event, entry }) => [
    `[[hooks.${event}]]`,
    ...(entry.hooks as Fields[]).flatMap(handler => [
      `[[hooks.${event}.hooks]]`,
      ...Object.entries(handler).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ]),
  ])
  return `${[BEGIN, ...features, ...lines, END].join('\n')}\n`
}

/** A flag `key` of `[table]`, in each form that TOML has for it. */
export function flagIn(text: string, [table, key]: readonly string[]): boolean | undefined {
  let section = ''
  for (const line of text.split('\n')) {
    const head = /^\s*\[\s*([\w.-]+)\s*\]/.exec(line)
    if (head) section = head[1]!
    const own = section === table ? key : section === '' ? `${table}\\s*\\.\\s*${key}` : undefined
    const inline = section === '' ? `${table}\\s*=\\s*\\{[^}]*?\\b${key}` : undefined
    for (const name of [own, inline]) {
      const found = name && new RegExp(`^\\s*${name}\\s*=\\s*(true|false)\\b`).exec(line)
      if (found) return found[1] === 'true'
    }
  }
  return undefined
}

// Reads TypeScript as far as the tests need it: the modules that a file imports, and its strings and words, without
// comments.

import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

export interface SourceFile {
  /** Relative to the repository, with slashes: `packages/hooks/src/engine.ts`. */
  readonly path: string
  readonly text: string
}

export interface Found {
  readonly value: string
  readonly line: number
}

export interface Import extends Found {
  readonly isDynamic: boolean
  /** `import type`: erased at run time. */
  readonly isType: boolean
}

export interface Scanned {
  readonly imports: readonly Import[]
  /** Every string literal, including the fixed parts of templates. */
  readonly strings: readonly Found[]
  readonly words: readonly Found[]
}

export function filesUnder(folder: string, wanted: (path: string) => boolean): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(wanted)
    .sort()
    .map(path => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

export const sourceFiles = (): SourceFile[] =>
  filesUnder('packages', path => /^packages\/[^/]+\/src\/.*\.ts$/.test(path))

/**
 * Tests, and files that only tests use, may import anything. The test kit is not one of them: it is an entry point of
 * the package.
 */
export const isTest = (path: string): boolean => /\.test\.ts$|\/src\/.+\/testing\//.test(path)

type Token = Found & { readonly kind: 'string' | 'word' | 'sign' }

export function scan(text: string): Scanned {
  const tokens = tokenize(text)
  const imports: Import[] = []
  tokens.forEach((token, index) => {
    if (token.kind !== 'string') return
    const before = tokens[index - 1]
    const beforeThat = tokens[index - 2]
    const opensCall = before?.value === '(' && /^(import|require)$/.test(beforeThat?.value ?? '')
    const isDynamic = opensCall && beforeThat?.kind === 'word'
    const isStatic = before?.kind === 'word' && /^(from|import)$/.test(before.value)
    if (!isDynamic && !isStatic) return
    const isType = isStatic && isTypeImport(tokens, index)
    imports.push({ value: token.value, line: token.line, isDynamic, isType })
  })
  return {
    imports,
    strings: tokens.filter(({ kind }) => kind === 'string'),
    words: tokens.filter(({ kind }) => kind === 'word'),
  }
}

/** Finds the word that begins the statement, and the word after it. */
function isTypeImport(tokens: readonly Token[], index: number): boolean {
  const starts = (token: Token) => token.kind === 'word' && /^(import|export)$/.test(token.value)
  const begin = tokens.slice(0, index).findLastIndex(starts)
  return tokens[begin + 1]?.value === 'type' && tokens[begin + 2]?.value !== 'from'
}

const BEFORE_REGEX = /^(?:[(,=:[!&|?{};+\-*%<>~^]|return|typeof|case|in|of|=>)$/
const REGEX = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const WORD = /[\p{L}_$#][\p{L}\p{N}_$]*/uy
const NUMBER = /\d[\w.]*/y
const SPACE = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const QUOTED = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*/y

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  /** For each open template, the number of open braces inside its ${…}. */
  const templates: number[] = []
  let at = 0
  let line = 1
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (!found) return undefined
    at += found.length
    return found
  }
  const add = (kind: Token['kind'], value: string, raw = value) => {
    tokens.push({ kind, value, line })
    line += raw.split('\n').length - 1
  }
  const templatePart = () => {
    const part = take(TEMPLATE_PART) ?? ''
    add('string', part)
    if (text[at] === '`') at++
    else {
      at += 2
      templates.push(0)
      tokens.push({ kind: 'sign', value: '${', line })
    }
  }
  while (at < text.length) {
    const space = take(SPACE)
    if (space !== undefined) {
      line += space.split('\n').length - 1
      continue
    }
    const quoted = take(QUOTED)
    if (quoted !== undefined) {
      add('string', quoted.slice(1, -1), quoted)
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      add('word', word)
      continue
    }
    if (take(NUMBER) !== undefined) {
      tokens.push({ kind: 'sign', value: '0', line })
      continue
    }
    const sign = text[at]!
    const last = tokens.at(-1)
    if (sign === '/' && (!last || BEFORE_REGEX.test(last.value)) && take(REGEX) !== undefined) {
      tokens.push({ kind: 'sign', value: '/regex/', line })
      continue
    }
    at++
    if (sign === '`') {
      templatePart()
      continue
    }
    const open = templates.length - 1
    if (sign === '}' && templates[open] === 0) {
      templates.pop()
      tokens.push({ kind: 'sign', value: '}', line })
      templatePart()
      continue
    }
    if (open >= 0 && sign === '{') templates[open]!++
    if (open >= 0 && sign === '}') templates[open]!--
    tokens.push({ kind: 'sign', value: sign, line })
  }
  return tokens
}

// A test file as a tree with positions. YAML, of which JSON is a part.

import { nearest } from '@holdfast/hooks'
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

export interface TestProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Deeper or wider trees are not tests that a user wrote. */
const MOST_ALIASES = 100
const MOST_PROBLEMS = 50
const MOST_ERRORS = 5

export type Tree = Node | null | undefined

/** The entries of a mapping, with the places of their keys. */
export interface Mapping {
  readonly node: Node
  get(key: string): Tree
  has(key: string): boolean
  /** The place of the key. */
  key(key: string): Tree
  entries(): (readonly [name: string, value: Tree, key: Tree])[]
  /** Whether it has an unknown key, which is probably the missing one. */
  readonly isStrange: boolean
}

export class TestSource {
  private readonly lines = new LineCounter()
  private readonly doc: Document | undefined
  private readonly found: TestProblem[] = []

  constructor(text: string) {
    try {
      this.doc = parseDocument(text.replace(/^\ufeff/, ''), {
        lineCounter: this.lines,
        prettyErrors: false,
        strict: true,
        // Odd syntax is reported here, not by the parser on stderr.
        logLevel: 'error',
      })
      // After the first few errors, those of the parser only repeat the cause.
      for (const { code, message, pos } of [...this.doc.errors, ...this.doc.warnings].slice(0, MOST_ERRORS)) {
        this.say(pos[0], inWords(code, message, text, pos[0]))
      }
      if (this.found.length === 0) this.doc.toJS({ maxAliasCount: MOST_ALIASES })
    } catch (error) {
      this.say(0, inWords('', (error as Error).message, text, 0))
    }
  }

  get root(): Tree {
    return this.doc?.contents as Tree
  }

  get problems(): readonly TestProblem[] {
    return this.found.slice(0, MOST_PROBLEMS).sort((a, b) => a.line - b.line || a.column - b.column)
  }

  complain(node: Tree, message: string): undefined {
    this.say(node?.range?.[0] ?? 0, message)
  }

  place(node: Tree): { line: number; column: number } {
    const { line, col } = this.lines.linePos(node?.range?.[0] ?? 0)
    // Before the first line there is nothing: an empty file begins at 1:1.
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  value(node: Tree): unknown {
    return node && this.doc ? node.toJS(this.doc, { maxAliasCount: MOST_ALIASES }) : null
  }

  /** The node itself, not an alias of it. */
  real(node: Tree): Tree {
    return isAlias(node) && this.doc ? node.resolve(this.doc) : node
  }

  isNull(node: Tree): boolean {
    const real = this.real(node)
    return !real || (isScalar(real) && real.value === null)
  }

  mapping(node: Tree, what: string): Mapping | undefined {
    const real = this.real(node)
    if (!isMap(real)) return this.complain(node, `${what} is ${this.kind(node)}; expected keys and values.`)
    const pairs = new Map<string, readonly [Tree, Tree]>()
    for (const pair of real.items) {
      const key = this.real(pair.key as Node)
      if (!isScalar(key))
        this.complain(key, `A key of ${what.replace(/^The /, 'the ')} is ${this.kind(key)}; expected a word.`)
      else pairs.set(String(key.value ?? ''), [pair.value as Tree, pair.key as Node])
    }
    return {
      node: real,
      get: key => pairs.get(key)?.[0],
      has: key => pairs.has(key),
      key: key => pairs.get(key)?.[1],
      entries: () => [...pairs].map(([name, [value, key]]) => [name, value, key] as const),
      isStrange: false,
    }
  }

  /** A mapping with these keys only. */
  keyed(node: Tree, what: string, keys: readonly string[]): Mapping | undefined {
    const mapping = this.mapping(node, what)
    const strange = mapping?.entries().filter(([name]) => !keys.includes(name)) ?? []
    for (const [name, , key] of strange)
      this.complain(key, `${what} has no key ${quoted(name)}. ${instead(name, keys)}`)
    return mapping && { ...mapping, isStrange: strange.length > 0 }
  }

  list(node: Tree, what: string): readonly Tree[] | undefined {
    const real = this.real(node)
    if (isSeq(real)) return real.items as Tree[]
    return this.complain(node, `${what} is ${this.kind(node)}; expected a list.`)
  }

  /** Numbers and booleans are used as the text in the file. */
  text(node: Tree, what: string): string | undefined {
    const real = this.real(node)
    if (isScalar(real) && real.value !== null) {
      return typeof real.value === 'string' ? real.value : (real.source ?? String(real.value))
    }
    return this.complain(node, `${what} is ${this.kind(node)}; expected text.`)
  }

  /** One of several words. */
  word<T extends string>(node: Tree, what: string, words: readonly T[]): T | undefined {
    const text = this.text(node, what)
    if (text === undefined) return undefined
    if ((words as readonly string[]).includes(text)) return text as T
    return this.complain(node, `${what} is ${quoted(text)}. ${instead(text, words)}`)
  }

  kind(node: Tree): string {
    const real = this.real(node)
    if (this.isNull(node)) return 'empty'
    if (isMap(real)) return 'a mapping'
    if (isSeq(real)) return 'a list'
    const value = isScalar(real) ? real.value : null
    return typeof value === 'string' ? quoted(value) : String(value)
  }

  private say(offset: number, message: string): void {
    const { line, col } = this.lines.linePos(offset)
    const problem = { line: Math.max(1, line), column: Math.max(1, col), message }
    if (!this.found.some(one => one.line === problem.line && one.message === message))
      this.found.push(problem)
  }
}

export const instead = (word: string, words: readonly string[]): string => {
  const meant = nearest(word, words)
  return meant ? `Did you mean ${meant}?` : `Known: ${words.join(', ')}.`
}

const LONGEST = 60

export const quoted = (text: string): string =>
  JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)

/** The messages of the parser in plain words. */
function inWords(code: string, message: string, text: string, offset: number): string {
  if (code === 'DUPLICATE_KEY') {
    const key = /^["']?([^"':\n]*)/.exec(text.slice(offset))?.[1] ?? ''
    return `The key "${key.trim()}" occurs twice in one mapping. Remove one of them.`
  }
  if (code === 'TAB_AS_INDENT') return 'A tab indents this line. YAML accepts only spaces there.'
  if (code === 'MULTIPLE_DOCS') return 'A second document starts here. Move its cases to another file.'
  const [, open] = /must .*end with a ([\]}])/.exec(message) ?? []
  if (open) return `A "${open === ']' ? '[' : '{'}" is not closed here: "${open}" is missing.`
  if (/^Missing closing/.test(message)) return 'A quoted text is not closed.'
  if (/alias count|stack/i.test(message)) return 'Too deeply nested, or too many aliases.'
  return `${message.replace(/\.$/, '')}.`
}

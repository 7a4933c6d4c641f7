// expect: a word, or the expectations, one key each.

import { EVENT_SPECS, type EventSpec } from '@holdfast/hooks/protocol'
import {
  EXPECTATION_NAMES,
  EXPECTED_FAILURES,
  EXPECTED_VERDICTS,
  type ExpectationName,
  type ExpectedVerdict,
  type Text,
} from '@holdfast/hooks/testing'
import { isScalar } from 'yaml'
import { either } from '../usage-error.js'
import type { Expectation } from './cases.js'
import { insidePath } from './paths.js'
import { quoted, type TestSource, type Tree } from './yaml.js'

type Reader<K extends keyof Expectation> = (source: TestSource, node: Tree, what: string) => Expectation[K]

const READERS: { readonly [K in keyof Required<Expectation>]: Reader<K> } = {
  verdict: (source, node, what) => source.word(node, what, EXPECTED_VERDICTS),
  message: readText,
  'user message': readText,
  'agent message': readText,
  context: readText,
  followup: readText,
  rewrite: readObject,
  prompt: readText,
  output: readObject,
  env: readTexts,
  plugins: (source, node, what) => (source.isNull(node) ? null : readStrings(source, node, what)),
  within: readDuration,
  exit: readWhole,
  stderr: readText,
  ran: (source, node, what) =>
    Array.isArray(source.value(node)) ? readStrings(source, node, what) : readWhole(source, node, what),
  failed: (source, node, what) => source.word(node, what, EXPECTED_FAILURES),
  files: (source, node, what) => readFiles(source, node, what),
  followups: readWhole,
}

/** Some words are about a loop only. */
const keysFor = (kind: 'event' | 'loop'): readonly string[] => [
  ...EXPECTATION_NAMES,
  'files',
  ...(kind === 'loop' ? ['followups'] : []),
]

export function readExpectation(
  source: TestSource,
  node: Tree,
  spec: EventSpec,
  kind: 'event' | 'loop',
): Expectation {
  if (isScalar(source.real(node)) && !source.isNull(node)) {
    const verdict = source.word(node, 'expect', EXPECTED_VERDICTS)
    return verdict && canBe(source, node, verdict, spec) ? { verdict } : {}
  }
  const mapping = source.keyed(node, 'expect', keysFor(kind))
  const expectation: Record<string, unknown> = {}
  for (const [name, value, key] of mapping?.entries() ?? []) {
    if (!Object.hasOwn(READERS, name)) continue
    const read = READERS[name as keyof Expectation](source, value, name)
    if (read === undefined) continue
    if (name === 'verdict' && !canBe(source, value, read as ExpectedVerdict, spec)) continue
    if (read !== null && !canSay(source, key, name, spec)) continue
    expectation[name] = read
  }
  if (mapping?.entries().length === 0) source.complain(node, 'expect is empty, so nothing could fail.')
  return expectation
}

/** The fields of a response for each key. */
const FIELDS: Readonly<Partial<Record<ExpectationName, keyof EventSpec['answer']>>> = {
  context: 'additional_context',
  followup: 'followup_message',
  rewrite: 'updated_input',
  prompt: 'updated_prompt',
  output: 'updated_mcp_tool_output',
  env: 'env',
  plugins: 'pluginPaths',
  'user message': 'user_message',
  'agent message': 'agent_message',
}

/** An expectation that can never hold is a mistake in the test. */
function canSay(source: TestSource, key: Tree, name: string, { name: event, answer }: EventSpec): boolean {
  const field = FIELDS[name as ExpectationName]
  if (field === undefined || answer[field]) return true
  const others = EVENT_SPECS.filter(spec => spec.answer[field]).map(spec => spec.name)
  source.complain(key, `Hooks of ${event} cannot respond with "${name}". Those of ${either(others)} can.`)
  return false
}

function canBe(
  source: TestSource,
  node: Tree,
  word: ExpectedVerdict,
  { name, gate, ask }: EventSpec,
): boolean {
  if (gate === 'none' && word !== 'none' && word !== 'proceeds') {
    source.complain(node, `${name} cannot be blocked, so it is never ${quoted(word)}. Expect proceeds.`)
    return false
  }
  if (word === 'ask' && ask !== 'asks') {
    source.complain(
      node,
      `${name} cannot ask. ${ask === 'denies' ? 'There, ask counts as deny.' : ''}`.trim(),
    )
    return false
  }
  return true
}

const PATTERN = /^\/(.+)\/([imsu]*)$/s

export function readText(source: TestSource, node: Tree, what: string): Text | undefined {
  if (source.isNull(node)) return null
  const real = source.real(node)
  if (isScalar(real)) {
    const text = source.text(node, what) ?? ''
    const [, pattern, flags] = PATTERN.exec(text) ?? []
    return pattern === undefined ? text : compiled(source, node, pattern, flags ?? '')
  }
  const rule = source.keyed(node, what, ['contains', 'matches', 'equals'])
  const [first] = rule?.entries() ?? []
  if (!rule || !first) return undefined
  if (rule.entries().length > 1) return source.complain(node, `${what} has more than one rule. Keep one.`)
  const text = source.text(first[1], first[0])
  if (text === undefined) return undefined
  if (first[0] === 'equals') return text
  return first[0] === 'contains' ? { contains: text } : compiled(source, first[1], text, '')
}

function compiled(source: TestSource, node: Tree, pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, '')
    return source.complain(node, `${quoted(pattern)} is not a regular expression: ${reason}.`)
  }
}

function readObject(
  source: TestSource,
  node: Tree,
  what: string,
): Record<string, unknown> | null | undefined {
  if (source.isNull(node)) return null
  return source.mapping(node, what) ? (source.value(node) as Record<string, unknown>) : undefined
}

function readTexts(source: TestSource, node: Tree, what: string): Record<string, Text> | null | undefined {
  if (source.isNull(node)) return null
  const rules: [string, Text][] = []
  for (const [name, value] of source.mapping(node, what)?.entries() ?? []) {
    const rule = readText(source, value, `${what}.${name}`)
    if (rule !== undefined) rules.push([name, rule])
  }
  return Object.fromEntries(rules)
}

function readFiles(source: TestSource, node: Tree, what: string): Record<string, Text> | undefined {
  const rules: [string, Text][] = []
  for (const [name, value, key] of source.mapping(node, what)?.entries() ?? []) {
    const rule = readText(source, value, name)
    if (insidePath(source, key, name) && rule !== undefined) rules.push([name, rule])
  }
  return Object.fromEntries(rules)
}

export function readStrings(source: TestSource, node: Tree, what: string): string[] | undefined {
  const list = source.list(node, what)
  return list?.flatMap(item => source.text(item, `An item of ${what}`) ?? [])
}

export function readWhole(source: TestSource, node: Tree, what: string): number | undefined {
  const value = source.value(node)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  return source.complain(node, `${what} is ${source.kind(node)}; expected a whole number.`)
}

const DURATION = /^(\d+(?:\.\d+)?) ?(ms|s)$/

function readDuration(source: TestSource, node: Tree, what: string): number | undefined {
  const value = source.value(node)
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value
  const [, number, unit] = DURATION.exec(String(value)) ?? []
  if (number !== undefined) return Number(number) * (unit === 's' ? 1000 : 1)
  return source.complain(
    node,
    `${what} is ${source.kind(node)}; expected milliseconds such as 500 ms, or 2 s.`,
  )
}

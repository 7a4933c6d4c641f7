// Which samples of its event a pattern matches, and which of them a canary can use.

import { extname, isAbsolute, join } from 'node:path'
import type { EventSpec, HookDefinition } from '@holdfast/hooks/protocol'
import { isToolSubject } from '../check/matchers.js'
import { canaryFile, canaryPayload } from './canary.js'

/** Whether the engine would let this hook run for this subject. */
export type Takes = (subject: string | undefined) => Promise<boolean>

export interface Matching {
  /** The samples, and those that the pattern matches. */
  readonly tried: readonly string[]
  readonly matches: readonly string[]
  /** The only match is a text that was derived from the pattern. */
  readonly isDerived?: boolean
  /** The subject of the canary; undefined for its own, null when the pattern matches no sample. */
  readonly subject: string | undefined | null
}

export async function findSubject(hook: HookDefinition, spec: EventSpec, takes: Takes): Promise<Matching> {
  if (hook.matcher.kind === 'all') return { tried: [], matches: [], subject: undefined }
  if (!('field' in spec.subject)) {
    const isTaken = await takes(undefined)
    const tried = 'word' in spec.subject ? [spec.subject.word] : []
    return { tried, matches: isTaken ? tried : [], subject: isTaken ? undefined : null }
  }
  const { field, examples } = spec.subject
  const isPath = field === 'file_path'
  const matches: string[] = []
  for (const example of examples) {
    if (await takes(isPath ? inside(hook.root, example) : example)) matches.push(example)
  }
  const subject = await first(takes, hook, spec, matches)
  // A text derived from the pattern is one more sample, except for the names of tools: they are a fixed list.
  const isOpen = !isToolSubject(examples) && spec.subject.otherwise === undefined
  const derived = matches.length === 0 && typeof subject === 'string' && isOpen ? [subject] : []
  return {
    tried: [...examples, ...derived],
    matches: [...matches, ...derived],
    isDerived: derived.length > 0,
    subject,
  }
}

/** The canary's own subject is the most harmless; then samples; then texts derived from the pattern. */
async function first(takes: Takes, hook: HookDefinition, spec: EventSpec, matches: readonly string[]) {
  if (await takes(undefined)) return undefined
  const isPath = 'field' in spec.subject && spec.subject.field === 'file_path'
  const ownFiles = isPath ? matches.map(name => canaryFile(hook.root, endingOf(name))) : []
  const pattern = hook.matcher.kind === 'plain' || hook.matcher.kind === 'regex' ? hook.matcher.text : ''
  const read = [...matches, ...literals(pattern)].map(text => (isPath ? inside(hook.root, text) : text))
  for (const subject of [...ownFiles, ...read]) if (await takes(subject)) return subject
  return null
}

const inside = (root: string, path: string) => (isAbsolute(path) ? path : join(root, path))

/** The name `.env` is only an extension. */
const endingOf = (name: string) => extname(name) || name

const MOST = 20

/** Texts that a pattern may match, derived from it: `^git (push|pull)\b` gives "git push". */
export function literals(pattern: string): string[] {
  const plain = pattern
    .replace(/\(\?(?:[:=]|<\w+>)/g, '(')
    .replace(/\\[bB]|\(\?<?!(?:[^()\\]|\\.)*\)/g, '')
    .replace(/\\s[+*]?/g, ' ')
    .replace(/\\d[+*]?/g, '1')
    .replace(/\\w[+*]?/g, 'a')
    .replace(/\.[*+]\??/g, '')
    .replace(/[\^$]/g, '')
  return [...new Set(alternatives(plain))].filter(text => text.trim() !== '').slice(0, MOST)
}

/** Each way through the groups, innermost first; bounded, since groups multiply. */
function alternatives(text: string, depth = 0): string[] {
  const group = /\(([^()]*)\)[?*+]?/.exec(text)
  if (!group || depth > 4) return text.split('|').map(unescaped)
  const ways = group[1]!.split('|').slice(0, 4)
  const before = text.slice(0, group.index)
  const after = text.slice(group.index + group[0].length)
  return ways.flatMap(way => alternatives(`${before}${way}${after}`, depth + 1)).slice(0, MOST * 4)
}

const unescaped = (text: string) =>
  text
    .replace(/\[([^\]\\^])[^\]]*\][+*?]?/g, '$1')
    .replace(/\\(.)/g, '$1')
    .replace(/(?<=\w)[+*?](?!\w)/g, '')

/** The subject as the fields of a canary have it. */
export const subjectIn = (spec: EventSpec, root: string, subject: string | undefined): string | null => {
  if (!('field' in spec.subject)) return 'word' in spec.subject ? spec.subject.word : null
  const value = canaryPayload(spec, root, subject)[spec.subject.field]
  return typeof value === 'string' ? value : (spec.subject.otherwise ?? '')
}

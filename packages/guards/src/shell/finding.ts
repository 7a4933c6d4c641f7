// What a rule sees and what it reports.

import { ALTERNATIVES, type RuleId } from './alternatives.js'
import type { Call, Word } from './call.js'
import type { Paths, Zone } from './paths.js'
import { zoneOf } from './paths.js'

export const TOPICS = [
  'files',
  'git',
  'disk',
  'system',
  'execution',
  'secrets',
  'guards',
  'databases',
  'containers',
  'kubernetes',
  'terraform',
  'cloud',
  'ci',
  'publishing',
  'services',
] as const
export type Topic = (typeof TOPICS)[number]

/** On without being named: what destroys work or leaks secrets on any machine. */
export const DEFAULT_TOPICS: readonly Topic[] = [
  'files',
  'git',
  'disk',
  'system',
  'execution',
  'secrets',
  'guards',
]

export interface Finding {
  readonly rule: RuleId
  readonly decision: 'deny' | 'ask'
  readonly reason: string
  /** A way that the guard itself accepts; commands are in backticks. */
  readonly instead: string
}

/** One call, as rules read it. */
export class Subject {
  readonly name: string
  readonly texts: readonly string[]
  readonly operands: readonly Word[]

  constructor(
    readonly call: Call,
    readonly paths: Paths,
  ) {
    this.name = call.name
    this.texts = call.args.map(({ text }) => text)
    const end = this.texts.indexOf('--')
    this.operands = call.args.filter(
      ({ text }, index) => (end >= 0 && index > end) || (!/^-./.test(text) && index !== end),
    )
  }

  /** A short option in any cluster, or a long one, also shortened or with a value. */
  has(short: string, ...long: string[]): boolean {
    const end = this.texts.indexOf('--')
    const options = end === -1 ? this.texts : this.texts.slice(0, end)
    return options.some(
      text =>
        (short !== '' &&
          /^-[a-zA-Z0-9]+$/.test(text) &&
          [...short].some(letter => text.includes(letter, 1))) ||
        long.some(
          name =>
            text === `--${name}` ||
            text.startsWith(`--${name}=`) ||
            (text.length > 4 && /^--[a-z-]+$/.test(text) && `--${name}`.startsWith(text)),
        ),
    )
  }

  zone(word: Word): Zone {
    const { cwd, isRemote } = this.call
    const zone = zoneOf(word, cwd, this.paths)
    // Elsewhere there is no workspace.
    return isRemote && /^(?:workspace|parent|outside)$/.test(zone) ? 'unknown' : zone
  }
}

export type Rule = (subject: Subject) => Finding | undefined

export const finding = (rule: RuleId, reason: string, decision: Finding['decision'] = 'deny'): Finding => ({
  rule,
  decision,
  reason,
  instead: ALTERNATIVES[rule],
})

// What every guard is: a name, the options that it takes, and one function from a payload to findings.

export interface Finding {
  /** `guard/rule`. */
  readonly rule: string
  readonly decision: 'deny' | 'ask'
  readonly reason: string
  /** A way that the guards themselves accept. */
  readonly instead: string
}

export interface Judgement {
  readonly findings: readonly Finding[]
  /** What was not understood; it asks. */
  readonly unknown?: readonly string[]
  /** The output of an MCP tool without its secrets. */
  readonly output?: unknown
  /** For the agent. */
  readonly context?: string
  /** The next message of the agent. */
  readonly followup?: string
}

export const NOTHING: Judgement = { findings: [] }

export interface Place {
  /** The workspace. */
  readonly root: string
  /** The folder in which a command starts. */
  readonly cwd: string
  readonly home: string
}

export type Payload = Readonly<Record<string, unknown>>
export type Options = Readonly<Record<string, unknown>>

export interface Option {
  readonly type: 'list' | 'number' | 'switch' | 'text'
  readonly about: string
  readonly default: readonly string[] | number | boolean | string
  /** The only values of a list or text. */
  readonly values?: readonly string[]
}

export interface Guard {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  /** A way for each rule; commands in backticks are accepted by the shell guard. */
  readonly alternatives: Readonly<Record<string, string>>
  judge(payload: Payload, options: Options, place: Place): Judgement | Promise<Judgement>
}

/** A finding with the alternative that the guard names for its rule. */
export const findingOf =
  <Rule extends string>(alternatives: Readonly<Record<Rule, string>>) =>
  (rule: Rule, reason: string, decision: Finding['decision'] = 'deny'): Finding => ({
    rule,
    decision,
    reason,
    instead: alternatives[rule],
  })

/** The options, and the defaults of those that are not given. */
export const withDefaults = (guard: Guard, options: Options): Options => ({
  ...Object.fromEntries(Object.entries(guard.options).map(([name, option]) => [name, option.default])),
  ...options,
})

export const listOf = (options: Options, name: string): readonly string[] =>
  Array.isArray(options[name]) ? (options[name] as string[]) : []

/** `*` stands for any text, `?` for one character. */
export function fitsAny(patterns: readonly string[], text: string): boolean {
  return patterns.some(pattern =>
    new RegExp(
      `^${pattern
        .replace(/[.+^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
      'i',
    ).test(text),
  )
}

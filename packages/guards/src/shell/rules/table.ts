// Evaluates the tables of the clients: a row says which words of a program do harm, and what that is.

import type { RuleId } from '../alternatives.js'
import { programOf } from '../call.js'
import { type Finding, finding, type Rule, type Subject } from '../finding.js'
import { effectOf, isDry, isMild, isShowing } from './verbs.js'

export interface Row {
  /** Names of programs. */
  readonly programs: string
  /** On the words and options of a call, and on its input. A match is denied. */
  readonly deny?: RegExp
  readonly ask?: RegExp
  /** Has no effect that matters; ends the evaluation of the program. */
  readonly safe?: RegExp
  /** What a match does: "It deletes …". */
  readonly does?: string
  /** The verbs of `verbs.ts` say nothing about this program. */
  readonly hasOwnVerbs?: true
}

/** With `hasVerbs`, verbs of `verbs.ts` are denied where no row says more. */
export function ruleOf(rule: RuleId, rows: readonly Row[], hasVerbs = false): Rule {
  const byProgram = new Map<string, Row[]>()
  for (const row of rows)
    for (const program of row.programs.split(' '))
      byProgram.set(program, [...(byProgram.get(program) ?? []), row])
  return subject => {
    // `php artisan …`, `python manage.py …`: the script is the program.
    const isScript = /^(?:php|python[\d.]*|ruby|node)$/.test(subject.name)
    const name = isScript ? programOf(subject.texts[0] ?? '') : subject.name.replace(/\.(?:sh|jar)$/, '')
    const own = byProgram.get(name)
    if (!own || subject.texts.at(-1) === '--help' || (hasVerbs && isDry(subject.texts))) return undefined
    const line = lineOf(subject)
    for (const { deny, ask, safe, does = 'It changes or deletes what others use.' } of own) {
      if (safe?.test(line)) return undefined
      if (deny?.test(line)) return finding(rule, does)
      if (ask?.test(line)) return finding(rule, does, 'ask')
    }
    return hasVerbs && !own.some(row => row.hasOwnVerbs) ? byVerb(rule, name, subject, line) : undefined
  }
}

/** The words of the call, then what it reads. */
const lineOf = ({ texts, call }: Subject): string =>
  [texts.join(' '), call.input ?? '', ...call.from.map(({ args }) => args.map(({ text }) => text).join(' '))]
    .filter(text => text !== '')
    .join(' ')

function byVerb(rule: Finding['rule'], name: string, { texts }: Subject, line: string): Finding | undefined {
  if (/(?:-X|--method|--request)[ =]?DELETE\b/i.test(line))
    return finding(rule, 'It sends a request that deletes.')
  const words = texts.filter(text => !text.startsWith('-')).slice(0, 5)
  const at = words.findIndex(word => effectOf(word) !== undefined)
  // `gh repo list`: the word that shows comes first, so the other one is a name.
  if (at === -1 || words.slice(0, at).some(isShowing)) {
    return /(?:^| )--(?:delete|purge|cleanup|prune|remove|force-delete|delete-\w+)(?: |$)/.test(line)
      ? finding(rule, `An option makes ${name} delete something.`)
      : undefined
  }
  const verb = words[at]!
  return finding(rule, `"${name} … ${verb}" ${effectOf(verb)}.`, isMild(verb) && at > 2 ? 'ask' : 'deny')
}

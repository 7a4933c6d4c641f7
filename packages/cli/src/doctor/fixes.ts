// The problem with a hook, and how to fix it. Output of a hook is quoted only where it can be no more than a name.

import { basename } from 'node:path'
import { shellWord } from '@holdfast/hooks'
import { CODES, type Run } from '@holdfast/hooks/protocol'
import type { Program } from '../check/programs.js'
import { visible } from '../print/text.js'
import type { Examined } from './examine.js'

const MISSING_PARTS: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/No module named '([\w.]+)'/, name => `pip install ${name.split('.')[0]}`],
  [/Cannot find (?:module|package) '(@?[\w-][\w./-]*)'/, name => `npm install ${name}`],
  [/(?:^|\s|: )([\w.+-]+): (?:command )?not found/, name => `install ${name}, or add its folder to PATH`],
]

/** Undefined when the hook is well. */
export function fixFor({ hook, issues, programs, fired, state }: Examined): string | undefined {
  if (state === 'well' || state === 'unmatched' || state === 'not-run') return undefined
  const first =
    issues[0]?.hint ??
    programFix(certainProblem(programs) ?? missed(programs, fired?.run)) ??
    (fired && runFix(fired.run, fired.limitMs, hook.timeoutMs))
  return first ? sentence(first) : undefined
}

function runFix(run: Run | undefined, limitMs: number, ownMs: number): string | undefined {
  if (!run) return limitFix(limitMs, ownMs)
  const { outcome, exit } = run
  if (outcome.kind !== 'failed') return undefined
  const { code } = outcome.failure
  if (code === 'run/timeout' && limitMs < ownMs) return limitFix(limitMs, ownMs)
  for (const [pattern, fix] of MISSING_PARTS) {
    const name = pattern.exec(exit.stderr.slice(-4096))?.[1]
    if (name !== undefined) return `Fix: ${fix(name)}`
  }
  return CODES[code].hint
}

const limitFix = (limitMs: number, ownMs: number) =>
  `Make it faster, or give the canary more than ${limitMs / 1000} s with --timeout; the limit of the entry is ${ownMs / 1000} s`

/** A command to be copied has no full stop after it. */
const sentence = (text: string) => (/[.?!]$|: /.test(text) ? text : `${text}.`)

export const certainProblem = (programs: readonly Program[]): Program | undefined =>
  programs.find(({ problem, certain }) => problem !== undefined && certain)

/** A program that the shell did not find, in a hook that then printed nothing: it did not do its work. */
export function missed(programs: readonly Program[], run: Run | undefined): Program | undefined {
  if (run?.outcome.kind !== 'silent') return undefined
  const sought = [
    ...run.exit.stderr.matchAll(/(?:^|\s)(\S+): (?:(?:command )?not found|Permission denied)$/gm),
  ].map(([, name]) => name)
  return programs.find(({ word, problem }) => problem === 'missing' && sought.includes(word))
}

function programFix(program: Program | undefined): string | undefined {
  if (!program) return undefined
  const file = visible(shellWord(program.path ?? program.word))
  switch (program.problem) {
    case 'not-executable':
      return `Run: chmod +x ${file}`
    case 'unreadable':
      return `Run: chmod +r ${file}`
    case 'line-break':
      return `Save it with Unix line breaks: sed -i 's/\\r$//' ${file}`
    case 'byte-order-mark':
      return 'Save it as UTF-8 without BOM'
    case 'folder':
      return 'Name the script inside it'
    case 'no-task':
      return 'Add the script, or correct its name'
    default:
      return program.path === null
        ? `Install ${program.word}, or write its full path`
        : 'Create it, or correct the path'
  }
}

/** The problem with something that the command needs. */
export function problemWords({ word, path, of, problem }: Program): string {
  switch (problem) {
    case 'line-break':
      return `the first line of ${of} ends with a Windows line break, so its interpreter is not found`
    case 'byte-order-mark':
      return `${of} starts with a byte order mark, so its first line has no effect`
    case 'unreadable':
      return `${of ?? word} cannot be read`
    case 'not-executable':
      return `${word} has no execute bit`
    case 'folder':
      return `${word} is a folder`
    case 'no-task':
      return `${basename(path ?? '')} has no script ${word}`
    default: {
      const what = of === undefined ? word : `${of} needs ${word}, which`
      return path === null ? `${what} is not in PATH` : `${what} does not exist`
    }
  }
}

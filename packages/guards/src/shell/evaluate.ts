// The decision for one command: every call that it would make, under the rules of the topics that are on.

import { hidesCharacters } from './characters.js'
import { DEFAULT_TOPICS, type Finding, finding, type Rule, Subject, type Topic } from './finding.js'
import { type Place, readCommand } from './read-command.js'
import { EXECUTION, runsDownload } from './rules/execution.js'
import { FILES } from './rules/files.js'
import { GIT } from './rules/git.js'
import { GUARD_RULES } from './rules/guards.js'
import { DISK, SYSTEM } from './rules/machine.js'
import { SECRETS, sendsCopy } from './rules/secrets.js'
import { DATABASES, typedSql } from './rules/services/databases.js'
import { DELIVERY } from './rules/services/delivery.js'
import { INFRASTRUCTURE } from './rules/services/infrastructure.js'

export interface ShellOptions extends Place {
  /** The workspace (default: `cwd`). */
  readonly root?: string
  readonly topics?: readonly Topic[]
}

export interface ShellVerdict {
  readonly decision: 'deny' | 'ask' | 'none'
  readonly findings: readonly Finding[]
  /** Why parts of the command are not understood; these ask. */
  readonly unknown: readonly string[]
}

const RULES: Readonly<Record<Topic, readonly Rule[]>> = {
  files: FILES,
  git: GIT,
  disk: DISK,
  system: SYSTEM,
  execution: EXECUTION,
  secrets: SECRETS,
  guards: GUARD_RULES,
  databases: DATABASES,
  ...INFRASTRUCTURE,
  ...DELIVERY,
}

const FOREIGN = {
  remote: finding('execution/remote', 'It runs code from the network that nobody has reviewed.'),
  decoded: finding('execution/decoded', 'It runs code that was encoded or packed.'),
  socket: finding('execution/network-shell', 'It connects a shell to the network.'),
} as const

export function evaluateCommand(command: string, options: ShellOptions): ShellVerdict {
  const { topics = DEFAULT_TOPICS, root = options.cwd, home } = options
  const { calls, unknown, isForkBomb, foreignCode } = readCommand(command, options)
  const rules = topics.flatMap(topic => RULES[topic])
  const findings = new Map<string, Finding>()
  if (isForkBomb && topics.includes('system'))
    findings.set('fork', finding('system/fork-bomb', 'It starts an unlimited number of processes.'))
  if (topics.includes('execution')) for (const kind of foreignCode) findings.set(kind, FOREIGN[kind])
  if (topics.includes('execution') && hidesCharacters(command))
    findings.set(
      'hidden',
      finding('execution/hidden', 'It contains characters that hide or change the visible text.'),
    )
  for (const call of calls) {
    const subject = new Subject(call, { home, root })
    for (const rule of rules) {
      const found = rule(subject)
      if (found) findings.set(`${found.rule} ${found.reason}`, found)
    }
  }
  const download = topics.includes('execution') ? runsDownload(calls) : undefined
  if (download) findings.set('download', download)
  const copy = topics.includes('secrets') && calls.length > 1 ? sendsCopy(calls) : undefined
  if (copy) findings.set('copy', copy)
  const sql = topics.includes('databases') ? typedSql(command) : undefined
  if (sql) findings.set('sql', sql)
  const all = [...findings.values()]
  const decision = all.some(one => one.decision === 'deny')
    ? 'deny'
    : all.length > 0 || unknown.length > 0
      ? 'ask'
      : 'none'
  return { decision, findings: all, unknown }
}

// The decision for one command: every call that it would make, under the rules of the topics that are on.

import { DEFAULT_TOPICS, type Finding, finding, type Rule, Subject, type Topic } from './finding.js'
import { type Place, readCommand } from './read-command.js'
import { FILES } from './rules/files.js'
import { GIT } from './rules/git.js'
import { DISK, EXECUTION, runsDownload, SECRETS, SYSTEM } from './rules/machine.js'
import { SERVICES } from './rules/services.js'

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

const RULES: Readonly<Partial<Record<Topic, readonly Rule[]>>> = {
  files: FILES,
  git: GIT,
  disk: DISK,
  system: SYSTEM,
  execution: EXECUTION,
  secrets: SECRETS,
  ...SERVICES,
}

export function evaluateCommand(command: string, options: ShellOptions): ShellVerdict {
  const { topics = DEFAULT_TOPICS, root = options.cwd, home } = options
  const { calls, unknown, isForkBomb } = readCommand(command, options)
  const rules = topics.flatMap(topic => RULES[topic] ?? [])
  const findings = new Map<string, Finding>()
  if (isForkBomb && topics.includes('system'))
    findings.set('fork', finding('system/fork-bomb', 'It starts processes without end.'))
  for (const call of calls) {
    const subject = new Subject(call, { home, root })
    for (const rule of rules) {
      const found = rule(subject)
      if (found) findings.set(`${found.rule} ${found.reason}`, found)
    }
  }
  const download = topics.includes('execution') ? runsDownload(calls) : undefined
  if (download) findings.set('download', download)
  const all = [...findings.values()]
  const decision = all.some(one => one.decision === 'deny')
    ? 'deny'
    : all.length > 0 || unknown.length > 0
      ? 'ask'
      : 'none'
  return { decision, findings: all, unknown }
}

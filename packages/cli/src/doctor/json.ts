// The findings as JSON. All keys are always present; null means nothing.

import type { Issue } from '@holdfast/hooks/protocol'
import { issueJson } from '../print/fire-json.js'
import { toTenth } from '../print/words.js'
import type { Examined, Fired } from './examine.js'
import { type Findings, hasTrouble, isTrouble, opens } from './findings.js'
import { fixFor } from './fixes.js'
import { crashWords, matchWords, outcomeWords, remarks } from './words.js'

export const findingsJson = (findings: Findings, profile: string, issues: readonly Issue[]) => ({
  ok: !hasTrouble(findings),
  profile,
  ran: findings.ran,
  hooks: findings.examined.map(hookJson),
  fails_open: findings.examined.filter(opens).map(({ hook }) => ({
    event: hook.event,
    source: hook.source,
    hook: hook.name,
    file: hook.file,
    line: hook.line,
  })),
  agents: findings.agents.map(({ bridge, level, file, state, message, fix, notes }) => ({
    agent: bridge.name,
    level,
    file,
    state,
    message,
    fix,
    notes,
  })),
  daemon: findings.daemon ?? null,
  issues: issues.filter(({ severity }) => severity === 'error').map(issueJson),
})

function hookJson(one: Examined) {
  const { hook, programs, issues, matching, policy, fired } = one
  const isThere = (wanted: readonly string[], problems: readonly string[]) => {
    const asked = programs.filter(({ role }) => wanted.includes(role))
    return asked.length === 0
      ? null
      : !asked.some(({ problem }) => problem !== undefined && problems.includes(problem))
  }
  return {
    event: hook.event,
    source: hook.source,
    hook: hook.name,
    type: hook.type,
    mode: hook.mode,
    file: hook.file,
    line: hook.line,
    state: one.state,
    trouble: isTrouble(one),
    message: outcomeWords(one),
    fix: fixFor(one) ?? null,
    notes: remarks(one),
    checks: {
      found: isThere(['program', 'script'], ['missing', 'folder']),
      readable: isThere(['program', 'script', 'interpreter'], ['unreadable']),
      executable: isThere(['program'], ['not-executable']),
      interpreter: isThere(['interpreter'], ['missing', 'line-break', 'byte-order-mark']),
      folder: !issues.some(({ code }) => code === 'config/path-base'),
      trusted: hook.trusted,
      matcher: hook.matcher.kind !== 'invalid',
    },
    cwd: hook.cwd,
    programs: programs.map(({ word, path, role, problem }) => ({
      word,
      path,
      role,
      problem: problem ?? null,
    })),
    matcher: hook.matcher.kind === 'all' ? null : hook.matcher.text,
    matches: { tried: matching.tried, taken: matching.matches, explanation: matchWords(one) ?? null },
    on_failure: policy.effect,
    on_crash: crashWords({ policy }) ?? null,
    canary: fired ? canaryJson(fired) : null,
  }
}

function canaryJson({ subject, withoutMatcher, limitMs, run, verdict }: Fired) {
  const outcome = run?.outcome
  const failure = outcome && outcome.kind !== 'silent' ? outcome.failure : undefined
  return {
    subject,
    without_matcher: withoutMatcher,
    limit_ms: limitMs,
    outcome: outcome?.kind ?? 'failed',
    answer: outcome?.kind === 'answered' ? outcome.answer : null,
    permission: verdict?.permission ?? null,
    continue: verdict?.continue ?? null,
    failure: failure?.code ?? (run ? null : 'run/timeout'),
    exit_code: run?.exit.code ?? null,
    signal: run?.exit.signal ?? null,
    duration_ms: run ? toTenth(run.exit.durationMs) : null,
    stderr: run?.exit.stderr ?? '',
    notes: (run?.notes ?? []).map(({ code }) => code),
  }
}

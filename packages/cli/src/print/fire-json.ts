// A verdict as one JSON object. All keys are always present; null means nothing.

import type { Issue, Run, Verdict } from '@holdfast/hooks/protocol'
import { toTenth, wouldBe } from './words.js'

export const verdictJson = (verdict: Verdict, issues: readonly Issue[]) => ({
  event: verdict.event,
  profile: verdict.profile,
  permission: verdict.permission,
  continue: verdict.continue,
  user_message: verdict.userMessage,
  agent_message: verdict.agentMessage,
  updated_input: verdict.updatedInput,
  additional_context: verdict.additionalContext,
  followup_message: verdict.followupMessage,
  env: verdict.env,
  duration_ms: toTenth(verdict.durationMs),
  runs: verdict.runs.map(run => runJson(run, verdict)),
  skipped: verdict.skipped.map(({ hook, reason }) => ({ source: hook.source, hook: hook.name, reason })),
  issues: issues.map(issueJson),
  updated_mcp_tool_output: verdict.updatedMcpToolOutput,
  plugin_paths: verdict.pluginPaths,
  updated_prompt: verdict.updatedPrompt,
})

export function runJson(run: Run, verdict: Verdict) {
  const { hook, exit, outcome, notes } = run
  const failure = outcome.kind === 'silent' ? undefined : outcome.failure
  const answer = outcome.kind === 'answered' ? outcome.answer : undefined
  return {
    source: hook.source,
    hook: hook.name,
    file: hook.file,
    line: hook.line,
    outcome: outcome.kind,
    permission: answer?.permission ?? (answer?.continue === false ? 'deny' : null),
    failure: failure?.code ?? null,
    exit_code: exit.code,
    signal: exit.signal,
    duration_ms: toTenth(exit.durationMs),
    stderr: exit.stderr,
    notes: notes.map(({ code }) => code),
    message: failure?.message ?? null,
    mode: hook.mode,
    would: hook.mode === 'observe' ? wouldBe(run, verdict) : null,
  }
}

export const issueJson = ({ code, severity, file, line, column, path, message, hint }: Issue) => ({
  code,
  severity,
  file,
  line,
  column,
  path,
  message,
  hint,
})

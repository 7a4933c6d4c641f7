// The results of test cases as one JSON object. All keys are always present.

import { relative } from 'node:path'
import { decisionOf } from '@holdfast/hooks/testing'
import type { Attempt } from '../test/attempt.js'
import type { StepResult } from '../test/fire.js'
import type { CaseResult, FileResult } from '../test/suite.js'
import { runJson } from './fire-json.js'
import { toTenth } from './words.js'

export const testsJson = (results: readonly FileResult[], cwd: string) => {
  const cases = results.flatMap(({ cases: each }) => each)
  const of = (outcome: CaseResult['outcome']) => cases.filter(one => one.outcome === outcome).length
  return {
    passed: of('passed'),
    failed: of('failed'),
    skipped: of('skipped'),
    not_run: results.reduce((sum, { left }) => sum + left, 0),
    files: results.map(file => ({
      file: relative(cwd, file.file),
      hooks: file.hooks === '' ? null : relative(cwd, file.hooks),
      problems: file.problems,
      cases: file.cases.map(caseJson),
    })),
  }
}

const caseJson = ({ test, outcome, attempts }: CaseResult) => ({
  name: test.name,
  line: test.line,
  outcome,
  attempts: attempts.map(attemptJson),
})

const attemptJson = ({ profile, outcome, reason, durationMs, steps, tidy }: Attempt) => ({
  profile,
  outcome,
  reason,
  duration_ms: toTenth(durationMs),
  steps: steps.map(step => stepJson(step, tidy)),
})

const stepJson = ({ line, what, mismatches, seen }: StepResult, tidy: Attempt['tidy']) => ({
  line,
  what,
  decision: seen ? decisionOf(seen) : null,
  mismatches: mismatches.map(({ what: of, expected, got }) => ({ what: of, expected, got: tidy(got) })),
  runs: (seen?.runs ?? []).map(run => {
    const { file: _, ...said } = runJson(run, seen!)
    return { ...said, stderr: tidy(said.stderr), message: said.message && tidy(said.message) }
  }),
})

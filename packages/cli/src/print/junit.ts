// The results in JUnit XML, which build servers read.

import { relative } from 'node:path'
import type { Attempt } from '../test/attempt.js'
import type { CaseResult, FileResult } from '../test/suite.js'
import { plainScreen } from './terminal.js'
import { failureText } from './test-report.js'

export function junit(results: readonly FileResult[], cwd: string): string {
  const suites = results.map(file => suite(file, cwd))
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...suites, '</testsuites>', ''].join('\n')
}

function suite(result: FileResult, cwd: string): string {
  const name = relative(cwd, result.file)
  const attempts = result.cases.flatMap(({ attempts: each }) => each)
  const of = (outcome: Attempt['outcome']) => attempts.filter(one => one.outcome === outcome).length
  const attributes = {
    name,
    tests: attempts.length + result.problems.length,
    failures: of('failed'),
    errors: result.problems.length,
    skipped: of('skipped'),
    time: seconds(attempts.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  }
  const problems = result.problems.map(({ line, column, message }) => {
    const where = `${name}:${line}:${column}`
    return `    <testcase${inTag({ name: where, classname: name })}><error${inTag({ message })}/></testcase>`
  })
  const cases = result.cases.flatMap(one => one.attempts.map(attempt => testCase(one, attempt, name, cwd)))
  return [`  <testsuite${inTag(attributes)}>`, ...problems, ...cases, '  </testsuite>'].join('\n')
}

function testCase({ test, attempts }: CaseResult, attempt: Attempt, file: string, cwd: string): string {
  const version = attempts.length > 1 ? ` (${attempt.profile})` : ''
  const open = `    <testcase${inTag({
    name: `${test.name}${version}`,
    classname: file,
    file,
    line: test.line,
    time: seconds(attempt.durationMs),
  })}>`
  if (attempt.outcome === 'passed') return `${open}</testcase>`
  if (attempt.outcome === 'skipped') {
    return `${open}<skipped${inTag({ message: `${attempt.profile} ${attempt.reason ?? ''}` })}/></testcase>`
  }
  const wrong = attempt.steps.flatMap(({ mismatches }) => mismatches)
  const message = wrong
    .map(({ what, expected, got }) => `${what}: expected ${expected}, got ${got}`)
    .join('; ')
  const text = failureText(file, attempt, plainScreen(cwd))
  return `${open}<failure${inTag({ message: attempt.tidy(message) })}>${escaped(text)}</failure></testcase>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

const inTag = (attributes: Readonly<Record<string, string | number>>) =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\t\n\r]/g, asReference)}"`)
    .join('')

/** Characters that XML 1.0 cannot contain even as a reference: most control characters, and lone surrogates. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string) =>
  text.replace(IMPOSSIBLE, '').replace(/[&<>"]/g, character => ENTITIES[character]!)

const asReference = (character: string) => `&#${character.charCodeAt(0)};`

// A vitest reporter that prints the last lines of a run: the failing tests, how to run one of them alone, and one plain
// line with the counts. A run that executed no test fails.

const SHOWN = 20

export default class TestReport {
  onTestRunEnd(modules, unhandledErrors, reason) {
    const report = describeRun(modules, unhandledErrors)
    const isEmpty = report.passed + report.failed === 0 && reason !== 'interrupted'
    if (isEmpty) process.exitCode = 1
    // After vitest's own summary.
    process.once('exit', () =>
      process.stdout.write(`${isEmpty ? '\nNo test was executed.' : ''}${report.text}`),
    )
  }
}

function describeRun(modules, unhandledErrors = []) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      counts[state] = (counts[state] ?? 0) + 1
      if (state === 'failed')
        failures.push({ file: module.relativeModuleId, name: test.fullName, own: test.name })
    }
    // An error outside of a test: in the file itself, in a hook, or in a group of tests.
    const hasOwnError =
      module.errors().length > 0 || [...module.children.allSuites()].some(suite => suite.errors().length > 0)
    if (hasOwnError) failures.push({ file: module.relativeModuleId, name: null })
  }
  counts.failed = failures.length + unhandledErrors.length
  return {
    ...counts,
    text: `\n${[...failureLines(failures, unhandledErrors), countLine(counts)].join('\n')}\n`,
  }
}

function failureLines(failures, unhandledErrors) {
  if (failures.length + unhandledErrors.length === 0) return []
  const lines = ['Failed:']
  for (const { file, name } of failures.slice(0, SHOWN))
    lines.push(`  ${file}${name === null ? ': an error outside of its tests' : ` > ${cut(name)}`}`)
  if (failures.length > SHOWN) lines.push(`  and ${failures.length - SHOWN} more`)
  if (unhandledErrors.length > 0) lines.push(`  ${unhandledErrors.length} unhandled errors, shown above`)
  const [first] = failures
  if (first) lines.push('', 'Run one of them alone:', `  npm test -- ${command(first)}`)
  return [...lines, '']
}

const cut = name => (name.length > 160 ? `${name.slice(0, 159)}…` : name)

/** A title of several lines is found by its first one. */
function command({ file, own }) {
  if (own === undefined) return file
  const pattern = own.split('\n')[0].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return `${file} -t '${pattern.replaceAll("'", "'\\''")}'`
}

const countLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`

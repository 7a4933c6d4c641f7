// The last lines of a run: which tests passed only on a later try. A busy machine is no defect, but nobody should have to guess.

export default class Tries {
  #again = []

  onTestCaseResult(test) {
    const { flaky, retryCount } = test.diagnostic() ?? {}
    if (flaky) this.#again.push({ name: `${test.module.relativeModuleId} > ${test.fullName}`, retryCount })
  }

  onTestRunEnd() {
    // After what vitest itself says at the end.
    const lines = said(this.#again)
    this.#again = []
    if (lines) process.once('exit', () => process.stdout.write(lines))
  }
}

function said(again) {
  if (again.length === 0) return ''
  const one = again.length === 1
  const rows = again.map(({ name, retryCount }) => `    ${name}, ${retryCount + 1} tries\n`)
  return `\n  ${again.length} ${one ? 'test' : 'tests'} needed another try:\n${rows.join('')}`
}

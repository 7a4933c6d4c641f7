// Checks the subjects of the commits that are not in a branch: node scripts/check-commits.mjs origin/main

import { execFileSync } from 'node:child_process'

const SUBJECT = /^(?:feat|fix|perf|refactor|docs|test|build|ci|chore)(?:\([a-z0-9,-]+\))?!?: \S.*[^.\s]$/
const LONGEST = 72

const base = process.argv[2]
if (!base) {
  process.stderr.write('Usage: node scripts/check-commits.mjs <branch>\n')
  process.exit(1)
}
const log = execFileSync('git', ['log', '--no-merges', '--format=%h %s', `${base}..HEAD`], {
  encoding: 'utf8',
})
const wrong = log
  .split('\n')
  .filter(line => line !== '')
  .filter(line => {
    const subject = line.slice(line.indexOf(' ') + 1)
    return subject.length > LONGEST || !SUBJECT.test(subject)
  })
if (wrong.length > 0) {
  const form = `Expected "type(scope): imperative summary", at most ${LONGEST} characters, without a full stop.`
  process.stderr.write(`${wrong.length} commit(s) with another subject. ${form}\n\n${wrong.join('\n')}\n`)
  process.exit(1)
}

// Prints a verdict for the tour. Colour carries meaning, and appears only on a terminal that supports it.

const colours = process.stdout.isTTY && !process.env.NO_COLOR
const paint = code => text => (colours ? `\x1b[${code}m${text}\x1b[0m` : text)
const bold = paint(1)
const dim = paint(2)
const RED = paint(31)
const GREEN = paint(32)
const AMBER = paint(33)

export const say = line => process.stdout.write(line ? `  ${line}\n` : '\n')

export const sayTitle = title => process.stdout.write(`\n${bold(title)}\n\n`)

export function sayVerdict(title, event, subject, verdict) {
  sayTitle(title)
  say(`${event}   ${dim(subject)}`)
  for (const run of verdict.runs) {
    const name = run.hook.name.split('/').at(-1)
    say(
      `  ${name.padEnd(22)}${decision(run, verdict)}${`${run.exit.durationMs.toFixed(0)} ms`.padStart(8)}   ${dim(remark(run))}`,
    )
  }
  const notMatched = verdict.skipped.filter(({ reason }) => reason === 'matcher').length
  if (notMatched > 0) say(dim(`  ${notMatched} more did not match`))
  say(conclusion(verdict))
  for (const [label, value] of extras(verdict)) say(`${label.padEnd(14)}${value}`)
}

function decision({ outcome }, verdict) {
  if (outcome.kind === 'silent') return 'no decision'.padEnd(14)
  if (outcome.kind === 'failed')
    return AMBER((verdict.permission === 'deny' ? 'failed' : 'failed open').padEnd(14))
  const { permission } = outcome.answer
  if (permission === 'deny') return RED('deny'.padEnd(14))
  if (permission === 'ask') return AMBER('ask'.padEnd(14))
  return permission === 'allow' ? GREEN('allow'.padEnd(14)) : 'answered'.padEnd(14)
}

function remark({ outcome, exit, notes }) {
  if (outcome.kind === 'failed') return `${outcome.failure.message} ${exit.stderr.trim()}`
  return notes.map(({ message }) => message).join(' ')
}

function conclusion({ permission, durationMs }) {
  const took = `in ${durationMs.toFixed(0)} ms`
  if (permission === 'deny') return RED(bold(`DENIED ${took}`))
  if (permission === 'ask') return AMBER(bold(`ASKS ${took}`))
  return permission === 'allow' ? GREEN(bold(`ALLOWED ${took}`)) : `may proceed, ${took}`
}

const extras = verdict =>
  [
    ['to the user', verdict.userMessage],
    ['to the agent', verdict.agentMessage],
    ['rewrites', verdict.updatedInput && JSON.stringify(verdict.updatedInput)],
    ['context', verdict.additionalContext],
    ['variables', verdict.env && JSON.stringify(verdict.env)],
    ['goes on with', verdict.followupMessage],
  ].filter(([, value]) => value)

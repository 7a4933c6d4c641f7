// npm run score -- FILE.jsonl …: the shell guard against rows of {command, expected}, where expected is deny or allow. Prints a
// confusion matrix for each file and the rows that it got wrong.
//
//   --all-topics   with all topics on, not only the default ones
//   --quiet        without the rows

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { bundled, main } from './steps.mjs'

await main(async () => {
  const args = process.argv.slice(2)
  const files = args.filter(arg => !arg.startsWith('--'))
  if (files.length === 0) throw new Error('Name at least one file: npm run score -- rows.jsonl')
  const { evaluateCommand, TOPICS } = await bundled('packages/guards/src/shell/index.ts')
  const topics = args.includes('--all-topics') ? { topics: TOPICS } : {}
  for (const file of files) {
    const counts = { deny: { deny: 0, ask: 0, none: 0 }, allow: { deny: 0, ask: 0, none: 0 } }
    const wrong = []
    const times = []
    for (const [index, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      if (line.trim() === '') continue
      const row = JSON.parse(line)
      if (row.needs_cwd || !Object.hasOwn(counts, row.expected)) continue
      const cwd = row.cwd ?? '/workspace/project'
      const began = performance.now()
      const { decision, findings, unknown } = evaluateCommand(row.command, {
        cwd,
        root: row.root ?? cwd,
        home: '/home/user',
        ...topics,
      })
      times.push(performance.now() - began)
      counts[row.expected][decision]++
      const isWrong = row.expected === 'deny' ? decision === 'none' : decision !== 'none'
      if (isWrong)
        wrong.push(
          `  ${file}:${index + 1} expected ${row.expected}, got ${decision}: ${JSON.stringify(row.command)} ${findings.map(({ rule }) => rule).join(' ')} ${unknown.join('; ')}`,
        )
    }
    const { deny, allow } = counts
    const all = group => group.deny + group.ask + group.none
    const share = (part, whole) => (whole === 0 ? '–' : (part / whole).toFixed(3))
    times.sort((a, b) => a - b)
    const at = part => `${(1000 * (times[Math.floor((times.length - 1) * part)] ?? 0)).toFixed(0)} µs`
    process.stdout.write(`${basename(file)}
              got deny   ask  none
  deny  ${String(all(deny)).padStart(5)} ${String(deny.deny).padStart(6)} ${String(deny.ask).padStart(5)} ${String(deny.none).padStart(5)}   recall ${share(deny.deny, all(deny))}, with ask ${share(deny.deny + deny.ask, all(deny))}
  allow ${String(all(allow)).padStart(5)} ${String(allow.deny).padStart(6)} ${String(allow.ask).padStart(5)} ${String(allow.none).padStart(5)}   false alarms ${share(allow.deny, all(allow))}, with ask ${share(allow.deny + allow.ask, all(allow))}
  evaluation: median ${at(0.5)}, p99 ${at(0.99)}
`)
    if (!args.includes('--quiet')) process.stdout.write(`${wrong.join('\n')}\n`)
  }
})

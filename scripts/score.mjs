// npm run score -- FILE.jsonl …: the shell guard against rows of {command, expected}, where expected is deny or allow, and cwd
// and root name the folders. Prints a confusion matrix for each file and the rows that it got wrong. cc-safety-net, from npm,
// is measured beside it in the same run.
//
//   --all-topics   with all topics on, not only the default ones
//   --alone        without cc-safety-net
//   --quiet        without the rows

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bin, bundled, installOnDemand, main } from './steps.mjs'

const PEER = 'cc-safety-net@2.4.5'
/** Evaluations of each row; the shortest one counts, because other processes of the machine only add to it. */
const ROUNDS = 3

await main(async () => {
  const args = process.argv.slice(2)
  const files = args.filter(arg => !arg.startsWith('--'))
  if (files.length === 0) throw new Error('Name at least one file: npm run score -- rows.jsonl')
  const { evaluateCommand, TOPICS } = await bundled('packages/guards/src/shell/index.ts')
  const topics = args.includes('--all-topics') ? { topics: TOPICS } : {}
  const programs = [
    {
      title: 'holdfast shell',
      decide: ({ command, cwd = '/workspace/project', root = cwd }) =>
        evaluateCommand(command, { cwd, root, home: '/home/user', ...topics }),
    },
  ]
  if (!args.includes('--alone')) programs.push(await peer())
  for (const file of files) {
    const rows = readRows(file)
    process.stdout.write(`${basename(file)}\n`)
    for (const [index, { title, decide }] of programs.entries()) {
      const { counts, wrong, times } = measure(rows, decide)
      printMatrix(title, counts, times)
      if (index === 0 && !args.includes('--quiet'))
        for (const { line, expected, command, decision, findings, unknown } of wrong)
          process.stdout.write(
            `  ${file}:${line} expected ${expected}, got ${decision}: ${JSON.stringify(command)} ${findings.map(({ rule }) => rule).join(' ')} ${unknown.join('; ')}\n`,
          )
    }
  }
})

async function peer() {
  await installOnDemand(PEER, [PEER])
  const { checkCommand } = await import(pathToFileURL(bin('cc-safety-net/dist/api.js')).href)
  return {
    title: PEER,
    decide: ({ command, root = process.cwd() }) => {
      // It needs a folder that exists; a command that it cannot take counts as denied, as in its hook.
      try {
        const { kind } = checkCommand({ command, cwd: root === '/workspace/project' ? process.cwd() : root })
        return { decision: kind === 'allow' ? 'none' : 'deny' }
      } catch {
        return { decision: 'deny' }
      }
    },
  }
}

function readRows(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((text, index) => (text.trim() === '' ? [] : [{ ...JSON.parse(text), line: index + 1 }]))
    .filter(({ expected, needs_cwd: needsFolder }) => !needsFolder && /^(?:deny|allow)$/.test(expected))
}

function measure(rows, decide) {
  const counts = { deny: { deny: 0, ask: 0, none: 0 }, allow: { deny: 0, ask: 0, none: 0 } }
  const wrong = []
  const times = []
  for (const row of rows) {
    let shortest = Number.POSITIVE_INFINITY
    let result
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now()
      result = decide(row)
      shortest = Math.min(shortest, performance.now() - began)
    }
    times.push(shortest)
    const { decision } = result
    counts[row.expected][decision]++
    if (row.expected === 'deny' ? decision === 'none' : decision !== 'none')
      wrong.push({ findings: [], unknown: [], ...result, ...row })
  }
  return { counts, wrong, times: times.sort((a, b) => a - b) }
}

function printMatrix(title, { deny, allow }, times) {
  const all = group => group.deny + group.ask + group.none
  const share = (part, whole) => (whole === 0 ? '–' : (part / whole).toFixed(3))
  const at = part => `${(1000 * (times[Math.floor((times.length - 1) * part)] ?? 0)).toFixed(0)} µs`
  const cell = number => String(number).padStart(6)
  process.stdout.write(`  ${title.padEnd(20)}       got deny   ask  none
    deny  ${cell(all(deny))}        ${cell(deny.deny)}${cell(deny.ask)}${cell(deny.none)}   recall ${share(deny.deny, all(deny))}, with ask ${share(deny.deny + deny.ask, all(deny))}
    allow ${cell(all(allow))}        ${cell(allow.deny)}${cell(allow.ask)}${cell(allow.none)}   false alarms ${share(allow.deny, all(allow))}, with ask ${share(allow.deny + allow.ask, all(allow))}
    evaluation: median ${at(0.5)}, p99 ${at(0.99)}
`)
}

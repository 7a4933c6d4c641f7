// Plays recordings of what agents sent to hooks through the bridges, under several sets of hooks, and prints the
// problems: node scripts/replay-recordings.mjs <folder> [--json]
// The folder holds one folder for each agent (claude-code, codex, gemini, copilot, qwen), each with JSON files:
// {
// "runs": [                     payloads in the order in which they came
// {
// "stdin": { … },           what the hook read
// "event": "preToolUse"     its event, for agents whose payload does not name it
// }
// ],
// "files": { "a.txt": "…" }     files of the project that payloads refer to; may be absent
// }
// $BASE in a payload is replaced by a folder; $BASE/proj is the project. To record your own, let an entry of the
// agent's
// settings call a script that stores its stdin.
// Under each set every response must be one that the agent accepts: nothing without hooks, a deny for every prompt
// and tool call when hooks deny or crash with failClosed, the new input when they rewrite it, and so on. Each
// payload must become the expected events. Exits with 1 if there is a problem.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { bundled, main, root } from './steps.mjs'

const COMMAND = resolve(root, 'packages/cli/bin/holdfast.cjs')
const BUNDLE = resolve(root, 'packages/cli/dist/holdfast.cjs')
const MOST_MISSES = 20

await main(async () => {
  const [folder, ...more] = process.argv.slice(2).filter(word => word !== '--json')
  if (folder === undefined || folder.startsWith('-') || more.length > 0) {
    throw new Error('Name one folder: node scripts/replay-recordings.mjs <folder> [--json]')
  }
  if (!existsSync(BUNDLE)) throw new Error('Build first: npm run build')
  const isJson = process.argv.includes('--json')
  const { replay, recordingsIn } = await bundled('tests/fixtures/replay/replay.ts')
  const recordings = recordingsIn(resolve(folder))
  if (recordings.length === 0) {
    throw new Error(
      `${folder} holds no recordings. It needs folders named like agents, with JSON files in them.`,
    )
  }
  let done = 0
  const tick = () => say(`${++done} of ${recordings.length} recordings`)
  const results = await replay(recordings, { through: COMMAND, tick })
  say('')
  process.stdout.write(isJson ? `${JSON.stringify(results)}\n` : report(results))
  if (results.some(({ misses }) => misses.length > 0)) process.exitCode = 1
})

/** One line that is overwritten, if stdout is a terminal. */
function say(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}

function report(results) {
  const head = ['', 'recordings', 'payloads', 'events', 'denied', 'as processes', 'not known']
  const rows = results.map(({ agent, recordings, payloads, events, gates, denied, processes, unknown }) => [
    agent,
    recordings,
    payloads,
    events,
    `${denied} of ${gates}`,
    processes,
    unknown.join(', ') || 'none',
  ])
  const table = [head, ...rows].map(row => row.map(String))
  const widths = head.map((_, column) => Math.max(...table.map(row => row[column].length)))
  const lines = table.map(row =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column])).join('  ')}`.trimEnd(),
  )
  const misses = results.flatMap(({ agent, misses }) =>
    misses.map(({ file, miss }) => `  ${agent}  ${file}\n    ${miss}`),
  )
  const left = misses.length > MOST_MISSES ? [`  and ${misses.length - MOST_MISSES} more`] : []
  const end = misses.length === 0 ? ['  Nothing was missed.'] : [...misses.slice(0, MOST_MISSES), ...left]
  return `\n${lines.join('\n')}\n\n${end.join('\n')}\n\n`
}

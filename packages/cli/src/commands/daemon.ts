// holdfast daemon: the process that answers agents without starting Node for each event.

import { readFileSync } from 'node:fs'
import { type Given, value } from '../arguments.js'
import type { Command } from '../command.js'
import { callDaemon } from '../daemon/connect.js'
import { daemonLog, placeProblem, runFolder, socketIn } from '../daemon/place.js'
import type { DaemonStatus } from '../daemon/serve.js'
import { startDaemon } from '../daemon/start.js'
import { openDaemon } from '../load.js'
import { home, OUTPUT } from '../option-sections.js'
import { print, printError, printJson } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { UsageError } from '../usage-error.js'
import { currentFolder, homeOf } from '../workspace.js'

const IDLE_MINUTES = 30
const LINES = 50

const status: Command = {
  name: 'status',
  summary: 'Show whether the daemon is running, and what it has done',
  options: [{ options: { home } }, OUTPUT],
  exitCodes: { 0: 'it runs', 1: 'it is not running, or does not respond' },
  examples: ['holdfast daemon status', 'holdfast daemon status --json'],
  run: showStatus,
}

const start: Command = {
  name: 'start',
  summary: 'Start the daemon now instead of at the next event',
  options: [OUTPUT],
  exitCodes: { 0: 'it runs', 1: 'it could not be started' },
  examples: ['holdfast daemon start'],
  run: startNow,
}

const stop: Command = {
  name: 'stop',
  summary: 'Stop the daemon after its current calls',
  description: 'The next event of an agent starts Node, and then the daemon again.',
  options: [{ options: { home } }, OUTPUT],
  exitCodes: { 0: 'it ends, or did not run', 1: 'it does not respond' },
  examples: ['holdfast daemon stop'],
  run: stopNow,
}

const logs: Command = {
  name: 'logs',
  summary: "Print the end of the daemon's log",
  options: [{ options: { lines: value('N', 'how many lines', { default: String(LINES) }), home } }],
  exitCodes: { 0: 'printed', 1: 'there is no log' },
  examples: ['holdfast daemon logs', 'holdfast daemon logs --lines 200'],
  run: async given => showLogs(given),
}

const run: Command = {
  name: 'run',
  summary: 'Run the daemon in this process; the first event starts it this way',
  options: [
    {
      options: {
        'idle-minutes': value('N', 'stop after this long without a call', { default: String(IDLE_MINUTES) }),
      },
    },
  ],
  exitCodes: { 0: 'it ended', 1: 'it could not listen' },
  examples: ['holdfast daemon run --idle-minutes 5'],
  run: runHere,
}

export const command: Command = {
  name: 'daemon',
  summary: 'Answer agents from a warm process instead of a new one for each event',
  description:
    'Entries that call the native client start the daemon with their first event. It stops after half an hour without an event. Without the daemon, or if it fails, each event starts Node; the response is the same.',
  exitCodes: {},
  examples: ['holdfast daemon status', 'holdfast daemon stop'],
  subcommands: [status, start, stop, logs, run],
  defaultSubcommand: 'status',
}

const ownHome = (given: Given): string => homeOf(given, currentFolder())

async function showStatus(given: Given): Promise<number> {
  const home = ownHome(given)
  const called = await callDaemon({ home, words: ['daemon', 'status'] })
  const found = called.kind === 'reply' ? (JSON.parse(called.reply.stdout) as DaemonStatus) : undefined
  if (given.has('json')) printJson({ state: found ? 'running' : called.kind, ...found })
  else print(found ? statusText(found, home) : `\n  ${ABSENT[called.kind]!}${hintOf(home)}\n\n`)
  return found ? 0 : 1
}

const ABSENT: Readonly<Record<string, string>> = {
  absent: 'The daemon is not running. Each event starts Node until an entry starts the daemon.',
  declined: 'The daemon is running, but declined this call. See: holdfast daemon logs',
  broken:
    'The daemon does not respond, so each event starts Node. End its process. See: holdfast daemon logs',
}

const hintOf = (home: string): string => {
  const problem = placeProblem(home)
  return problem === undefined ? '' : ` ${problem}`
}

function statusText(found: DaemonStatus, home: string): string {
  const rows: [string, string][] = [
    ['running', `process ${found.pid}, version ${found.version}, since ${found.startedAt}`],
    ['socket', socketIn(runFolder(home))],
    ['memory', `${Math.round(found.memoryBytes / 1e6)} MB`],
    ['calls', `${found.calls}, ${found.active} in progress, ${found.cancelled} cancelled`],
    ...Object.entries(found.declined).map(([reason, count]): [string, string] => [
      'left to Node',
      `${count}: ${reason}`,
    ]),
  ]
  return `\n${rows.map(([name, text]) => `  ${name.padEnd(14)}${visible(text)}\n`).join('')}\n`
}

async function startNow(given: Given): Promise<number> {
  const home = ownHome(given)
  const isRunning = async () => (await callDaemon({ home, words: ['daemon', 'status'] })).kind === 'reply'
  if (!(await isRunning())) {
    const problem = placeProblem(home)
    if (problem !== undefined) throw new UsageError(`The daemon cannot run here. ${problem}`)
    await startDaemon(home, ['--idle-minutes', String(IDLE_MINUTES)])
    for (let tries = 0; tries < 100 && !(await isRunning()); tries++)
      await new Promise(resolve => setTimeout(resolve, 50))
  }
  return showStatus(given)
}

async function stopNow(given: Given): Promise<number> {
  const home = ownHome(given)
  const called = await callDaemon({ home, words: ['daemon', 'end'] })
  const isGone = called.kind === 'absent'
  const stops = called.kind === 'reply'
  if (given.has('json')) printJson({ state: stops ? 'ending' : called.kind })
  else if (stops) print('  The daemon stops after its current calls.\n')
  else if (isGone) print('  The daemon was not running.\n')
  else printError(`${ABSENT[called.kind]!}\n`)
  return stops || isGone ? 0 : 1
}

function showLogs(given: Given): number {
  const lines = Number(given.value('lines'))
  if (!Number.isInteger(lines) || lines < 1)
    throw new UsageError(`--lines is "${given.value('lines')}"; expected a whole number above 0.`)
  const file = daemonLog(ownHome(given))
  try {
    const all = readFileSync(file, 'utf8').trimEnd().split('\n')
    print(`${all.slice(-lines).map(visible).join('\n')}\n`)
    return 0
  } catch {
    throw new UsageError(`There is no log in ${file}. The daemon has not run yet.`)
  }
}

async function runHere(given: Given): Promise<number> {
  const minutes = Number(given.value('idle-minutes'))
  if (!(minutes > 0)) throw new UsageError('--idle-minutes must be a number above 0.')
  await openDaemon().runDaemon(ownHome(given), minutes * 60_000)
  return 0
}

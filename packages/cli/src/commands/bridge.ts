// holdfast bridge: called by another agent at each of its events. stdout contains the response for that agent and nothing
// else. Notes go to stderr and into a log, because agents do not show stderr.

import { read } from 'node:fs'
import { BRIDGE_LIMIT_SECONDS } from '@holdfast/hooks/bridges'
import { flag, type Given, value } from '../arguments.js'
import { AGENTS, bridgeOf, callBridge } from '../bridge-call.js'
import type { Command } from '../command.js'
import { askDaemon } from '../daemon/ask.js'
import { startDaemon } from '../daemon/start.js'
import { interrupted } from '../interrupt.js'
import { openCommands } from '../load.js'
import { WORKSPACE } from '../option-sections.js'
import { isTerminal, print, printError } from '../print/terminal.js'
import { currentFolder, homeOf } from '../workspace.js'

const LARGEST = 64 * 1024 * 1024

export const command: Command = {
  name: 'bridge',
  summary: 'Run the hooks of one event for an agent; the agent calls this',
  description:
    'Agents start this command after holdfast install. It reads the payload of the agent from stdin, runs the hooks of the matching events, and prints the response in the format of the agent. The state of sessions is in ~/.holdfast/bridge; problems are logged in ~/.holdfast/log/bridge.log.',
  arguments: [{ name: 'agent', summary: AGENTS.join(', '), values: AGENTS }],
  options: [
    {
      options: {
        event: value('NAME', "the agent's name for the event, if the payload lacks it"),
        limit: value(
          'SECONDS',
          "deny if the hooks have not decided by then; set it below the time limit in the agent's settings",
          { default: String(BRIDGE_LIMIT_SECONDS) },
        ),
        'no-log': flag('do not write to the log of runs'),
        // From the native client, which calls this command if no daemon responds.
        'used-ms': value('MS', 'milliseconds of the limit that have passed', { isHidden: true }),
        'start-daemon': flag('start the daemon afterwards', { isHidden: true }),
      },
    },
    WORKSPACE,
  ],
  exitCodes: { 0: 'the response is on stdout', 2: 'blocked without a response' },
  examples: [
    `echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | holdfast bridge claude-code`,
  ],
  run,
}

async function run(given: Given): Promise<number> {
  const { title } = bridgeOf(given)
  if (isTerminal(0)) {
    printError(
      `holdfast bridge: Waiting for a payload of ${title}, which starts this command. End with Ctrl-D.\n`,
    )
  }
  const home = homeOf(given, currentFolder())
  const output = await callBridge(given, {
    readInput,
    ask: (question, signal) => askDaemon(home, question, signal),
    openStaleInstalls: () => openCommands().openStaleInstalls(),
    interrupt: interrupted(),
  })
  if (output.stderr !== '') printError(output.stderr)
  print(output.stdout)
  // Work that cannot be cancelled would keep the process alive until the agent ends it.
  if (output.isOver) {
    // An exit would wait for a read that has no bytes. Entries block when the process ends by a signal, too.
    if (isReading) process.kill(process.pid, 'SIGKILL')
    process.exit(output.exitCode)
  }
  const { revive } = await import('@holdfast/hosts/team')
  await revive(home)
  if (given.has('start-daemon')) await startDaemon(home)
  return output.exitCode
}

/** Null if it is too large. Agents write the payload at once, and a stream takes milliseconds to load. */
async function readInput(signal: AbortSignal): Promise<string | null> {
  const first = await readFirst()
  if (isComplete(first)) return first.toString('utf8')
  signal.addEventListener('abort', () => process.stdin.destroy(new Error('stdin did not end in time.')))
  const chunks = [first]
  let { length } = first
  for await (const chunk of process.stdin) {
    length += (chunk as Buffer).length
    if (length <= LARGEST) chunks.push(chunk as Buffer)
    else chunks.length = 0
  }
  return length > LARGEST ? null : Buffer.concat(chunks).toString('utf8')
}

let isReading = false

/** The bytes that are there; none at the end, or if the descriptor cannot be read this way. */
function readFirst(): Promise<Buffer> {
  isReading = true
  const buffer = Buffer.allocUnsafe(FIRST_BYTES)
  return new Promise(resolve => {
    read(0, buffer, 0, FIRST_BYTES, null, (error, bytes) => {
      isReading = false
      resolve(buffer.subarray(0, error ? 0 : bytes))
    })
  })
}

const FIRST_BYTES = 64 * 1024
const CLOSING = 0x7d

/** No text that continues a JSON object makes another one. */
function isComplete(bytes: Buffer): boolean {
  const text = bytes.toString('utf8').trimEnd()
  if (text.charCodeAt(text.length - 1) !== CLOSING) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

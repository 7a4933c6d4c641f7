// holdfast bridge: called by another agent at each of its events. stdout contains the response for that agent and nothing
// else. Notes go to stderr and into a log, because agents do not show stderr.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  BRIDGE_LIMIT_SECONDS,
  BRIDGES,
  type Bridge,
  type BridgeResponse,
  findBridge,
  runBridge,
} from '@holdfast/hooks/bridges'
import { Complaint } from '../complaint.js'
import { interrupted } from '../interrupt.js'
import { openWorkshop, showHelp } from '../load.js'
import { evaluatePrompt } from '../model.js'
import { type Given, known, noMore, parse, SHARED } from '../options.js'
import { print, printError } from '../print/terminal.js'
import { visible } from '../print/text.js'
import { enclosingRoots, workspaceOf } from '../workspace.js'

const { json, color, 'no-color': noColor, ...WORKSPACE } = SHARED

/** For the response after the limit, when hooks are ended. Then the bridge stops waiting for its own work. */
const GRACE_MS = 5000
const LARGEST = 64 * 1024 * 1024
const LARGEST_LOG = 1024 * 1024

export async function run(argv: readonly string[]): Promise<number> {
  const given = parse('bridge', argv, { ...WORKSPACE, event: 'value', limit: 'value', 'no-log': 'flag' })
  if (given.has('help')) return showHelp('bridge')
  const bridge = bridgeOf(given)
  const { home } = workspaceOf(given)
  if (process.stdin.isTTY) {
    printError(
      `holdfast bridge: Waiting for a payload of ${bridge.title}, which starts this command. End with Ctrl-D.\n`,
    )
  }
  const limit = startLimit(limitOf(given))
  const response = await Promise.race([respond(bridge, given, home, limit.signal), limit.over])
  limit.stop()
  const { stdout, stderr, exitCode } = response
  if (stderr !== '') {
    const lines = stderr.trimEnd().split('\n').map(visible)
    for (const line of lines) printError(`${line}\n`)
    appendLog(join(home, '.holdfast', 'log', 'bridge.log'), bridge, lines)
  }
  print(stdout)
  // Work that cannot be cancelled would keep the process alive until the agent ends it.
  if (response === OVER) process.exit(exitCode)
  const { revive } = await import('@holdfast/hosts/team')
  await revive(home)
  return exitCode
}

function bridgeOf(given: Given): Bridge {
  const [name] = given.positionals
  const names = BRIDGES.map(bridge => bridge.name)
  if (name === undefined) throw new Complaint(`bridge needs an agent: ${names.join(', ')}.`)
  noMore('bridge', given.positionals, 1)
  return findBridge(known('agent', name, names))!
}

function limitOf(given: Given): number {
  const text = given.value('limit') ?? String(BRIDGE_LIMIT_SECONDS)
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= BRIDGE_LIMIT_SECONDS))
    throw new Complaint(`--limit is "${text}"; expected seconds above 0, at most ${BRIDGE_LIMIT_SECONDS}.`)
  return seconds * 1000
}

/**
 * The signal aborts after the limit, or when the process is told to end; `over` resolves if there is still no response
 * some time later. Plain timers: on Node 20 the signals of AbortSignal.any and AbortSignal.timeout can be collected as
 * garbage before they abort.
 */
function startLimit(limitMs: number) {
  const controller = new AbortController()
  let last: NodeJS.Timeout | undefined
  let stop = () => {}
  const over = new Promise<BridgeResponse>(resolve => {
    const end = () => {
      controller.abort()
      last ??= setTimeout(() => resolve(OVER), Math.min(GRACE_MS, limitMs))
    }
    const timer = setTimeout(end, limitMs)
    interrupted().addEventListener('abort', end)
    stop = () => {
      clearTimeout(timer)
      clearTimeout(last)
    }
  })
  return { signal: controller.signal, over, stop }
}

const failed = (reason: string): BridgeResponse => ({
  stdout: '',
  stderr: `holdfast bridge: Blocked, because the bridge failed: ${reason}\n`,
  exitCode: 2,
})

const OVER = failed('it did not finish within its time limit.')

/** A failure must not allow an action: this exit code and the text block in every agent. */
async function respond(
  bridge: Bridge,
  given: Given,
  home: string,
  signal: AbortSignal,
): Promise<BridgeResponse> {
  try {
    const workspace = workspaceOf(given)
    const { projectVariable = '', startsInProject } = bridge.config
    const project = startsInProject ? workspace.cwd : process.env[projectVariable]
    const rootsAt = (cwd: string) =>
      given.list('root').length > 0 ? workspace.roots : enclosingRoots(project || cwd || workspace.cwd, home)
    return await runBridge({
      bridge,
      text: await readInput(signal),
      event: given.value('event'),
      host: cwd => ({
        ...workspace.host,
        workspaceRoots: rootsAt(cwd),
        env: withoutKeys(bridge),
        evaluatePrompt,
        log: { file: given.has('no-log') ? null : workspace.logFile },
      }),
      folder: join(home, '.holdfast', 'bridge', bridge.name),
      signal,
      notices: async (hooks, cwd) => {
        const { installations, staleInstalls } = await openWorkshop().stale()
        const here = { ...workspace, roots: rootsAt(cwd) }
        return staleInstalls(here, hooks, installations(here, [bridge])).map(
          ({ message, fix }) => `The hooks in ${bridge.title} are not up to date: ${message}. ${fix}`,
        )
      },
    })
  } catch (error) {
    return failed((error as Error).message)
  }
}

/** Hooks receive no keys of the agent but those that the user names in HOLDFAST_PASS_ENV. */
function withoutKeys({ config }: Bridge): NodeJS.ProcessEnv {
  const passed = process.env.HOLDFAST_PASS_ENV?.split(/[\s,]+/) ?? []
  const secret = new Set(config.secretVariables?.filter(name => !passed.includes(name)))
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !secret.has(name)))
}

/** Null if it is too large. */
async function readInput(signal: AbortSignal): Promise<string | null> {
  signal.addEventListener('abort', () => process.stdin.destroy(new Error('stdin did not end in time.')))
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of process.stdin) {
    length += (chunk as Buffer).length
    if (length <= LARGEST) chunks.push(chunk as Buffer)
    else chunks.length = 0
  }
  return length > LARGEST ? null : Buffer.concat(chunks).toString('utf8')
}

/** A log that cannot be written does not fail the event. */
function appendLog(file: string, { name }: Bridge, lines: readonly string[]): void {
  const time = new Date().toISOString()
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LARGEST_LOG) renameSync(file, `${file}.1`)
    const text = lines.map(line => `${time} ${name} ${line.replace('holdfast bridge: ', '')}\n`).join('')
    appendFileSync(file, text, { mode: 0o600 })
  } catch {
    // The disk is full, or the home folder belongs to another user.
  }
}

// One call of `holdfast bridge`: its options and the payload → the bytes and the exit code of the process. The process
// and the daemon both call it, so an agent gets the same response from either.

import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Refusal, StartCommand } from '@holdfast/hooks'
import {
  BRIDGE_LIMIT_SECONDS,
  BRIDGES,
  type Bridge,
  type BridgeResponse,
  findBridge,
  runBridge,
  statesFolder,
} from '@holdfast/hooks/bridges'
import { type Given, oneOf } from './arguments.js'
import { type OpenQuestion, questionOf } from './daemon/questions.js'
import type * as StaleInstalls from './install/stale.js'
import { evaluatePrompt } from './model.js'
import { visible } from './print/text.js'
import { UsageError } from './usage-error.js'
import { enclosingRoots, type Workspace, workspaceOf } from './workspace.js'

/** For the response after the limit, when hooks are ended. Then the bridge stops waiting for its own work. */
const GRACE_MS = 5000
const LARGEST_LOG = 1024 * 1024

export const AGENTS = BRIDGES.map(({ name }) => name)

export interface BridgeProcess {
  /** The text on stdin; null if it is larger than 64 MiB. */
  readInput(signal: AbortSignal): Promise<string | null>
  /** Asks a person in a terminal or the like; undefined if no daemon runs. */
  ask(question: OpenQuestion, signal: AbortSignal): Promise<boolean | Refusal | undefined>
  /** For commands that need no process. */
  readonly startCommand?: StartCommand
  /** Loaded late: only the start of a session needs it. */
  openStaleInstalls(): Promise<typeof StaleInstalls>
  /** Aborts when the process receives a signal to end. */
  readonly interrupt: AbortSignal
}

/** What the process prints, and whether work that cannot be cancelled is still running. */
export interface BridgeOutput extends BridgeResponse {
  readonly isOver: boolean
}

export async function callBridge(given: Given, around: BridgeProcess): Promise<BridgeOutput> {
  const bridge = bridgeOf(given)
  const workspace = workspaceOf(given)
  const { home } = workspace
  const limit = startLimit(limitOf(given), around.interrupt)
  const response = await Promise.race([respond(bridge, given, workspace, limit.signal, around), limit.over])
  limit.stop()
  const lines = response.stderr === '' ? [] : response.stderr.trimEnd().split('\n').map(visible)
  if (lines.length > 0) appendLog(join(home, '.holdfast', 'log', 'bridge.log'), bridge, lines)
  return {
    ...response,
    stderr: lines.map(line => `${line}\n`).join(''),
    isOver: response === OVER,
  }
}

export function bridgeOf(given: Given): Bridge {
  const [name] = given.positionals
  if (name === undefined) throw new UsageError(`bridge needs an agent: ${AGENTS.join(', ')}.`)
  return findBridge(oneOf('agent', name, AGENTS))!
}

function limitOf(given: Given): number {
  const text = given.value('limit')!
  const seconds = Number(text)
  if (text.trim() === '' || !(seconds > 0 && seconds <= BRIDGE_LIMIT_SECONDS))
    throw new UsageError(`--limit is "${text}"; expected seconds above 0, at most ${BRIDGE_LIMIT_SECONDS}.`)
  return Math.max(1, seconds * 1000 - Number(given.value('used-ms') ?? 0))
}

/**
 * The signal aborts after the limit, or when the process receives a signal to end; `over` resolves if there is still no response
 * some time later. Plain timers: on Node 20 the signals of AbortSignal.any and AbortSignal.timeout can be collected as
 * garbage before they abort.
 */
function startLimit(limitMs: number, interrupt: AbortSignal) {
  const controller = new AbortController()
  let last: NodeJS.Timeout | undefined
  let stop = () => {}
  const over = new Promise<BridgeResponse>(resolve => {
    const end = () => {
      controller.abort()
      last ??= setTimeout(() => resolve(OVER), Math.min(GRACE_MS, limitMs))
    }
    const timer = setTimeout(end, limitMs)
    if (interrupt.aborted) end()
    else interrupt.addEventListener('abort', end)
    stop = () => {
      clearTimeout(timer)
      clearTimeout(last)
      interrupt.removeEventListener('abort', end)
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
  workspace: Workspace,
  signal: AbortSignal,
  { readInput, ask, startCommand, openStaleInstalls }: BridgeProcess,
): Promise<BridgeResponse> {
  try {
    const { home } = workspace
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
        ...(startCommand ? { startCommand } : {}),
        log: { file: given.has('no-log') ? null : workspace.logFile },
      }),
      folder: statesFolder(home, bridge),
      isInstalled: given.value('event') !== undefined,
      signal,
      ask: (question, { title }) => ask(questionOf(question, title), question.signal ?? signal),
      settings: async cwd => {
        const { settingsOf } = await openStaleInstalls()
        return settingsOf(bridge, { ...workspace, roots: rootsAt(cwd) })
      },
      notices: async (hooks, cwd) => {
        const { installations, staleInstalls } = await openStaleInstalls()
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

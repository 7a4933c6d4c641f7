// `holdfast guard NAME` in the daemon, in place of a process. Large payloads are judged in a thread, so that other events do
// not wait; a thread that crashes or is stuck is replaced. Small ones are judged at once, because on a busy machine a thread
// waits for a processor. If one is stuck, watchdog.ts ends the daemon, and Node judges.

import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { StartCommand } from '@holdfast/hooks'
import type { GuardCall, GuardReply } from './guard-worker.js'
import { ownWords } from './program.js'

/** Of this bundle. */
declare const __dirname: string

const LARGEST_HERE = 8 * 1024
const MOST_MEGABYTES = 128
/** The event is judged again after the thread ended because of another event. */
const MOST_TRIES = 3

/** The guards that start no program. */
const HERE: ReadonlySet<string> = new Set([
  'shell',
  'paths',
  'secrets',
  'git',
  'network',
  'sql',
  'mcp',
  'kubernetes',
])

/** Options need the process, which parses them. */
export const startGuard: StartCommand = ({ words, cwd, env, stdin }) => {
  const own = ownWords({ words, cwd, env })
  const home = env.HOME
  const name = own?.length === 2 && own[0] === 'guard' ? own[1]! : ''
  if (!HERE.has(name) || !home?.startsWith('/')) return undefined
  const place = { cwd, home }
  return async signal => {
    if (stdin.length <= LARGEST_HERE) {
      const { judge } = await import('../guards/guard.js')
      return startedFrom(await judge(name, stdin, place))
    }
    for (let tries = 1; ; tries++) {
      const reply = await ask({ name, text: stdin, place }, signal)
      if (reply) return startedFrom(reply)
      if (signal.aborted) throw new Error('It was cancelled.')
      if (tries === MOST_TRIES) return { code: 2, stdout: '', stderr: `holdfast guard ${name}: ${CRASHED}` }
    }
  }
}

const startedFrom = ({ exitCode, stdout, stderr }: Omit<GuardReply, 'id'>) => ({
  code: exitCode,
  stdout,
  stderr,
})

const CRASHED = 'It could not judge the action: its thread ended.\n'

interface Thread {
  readonly worker: Worker
  readonly open: Map<number, (reply: GuardReply | undefined) => void>
}

let thread: Thread | undefined
let count = 0

/** Undefined if the thread ended first. */
function ask(call: Omit<GuardCall, 'id'>, signal: AbortSignal): Promise<GuardReply | undefined> {
  thread ??= openThread()
  const { worker, open } = thread
  const id = ++count
  return new Promise(resolve => {
    // The time limit of the hook, or a cancelled call: nothing else ends a thread that is stuck.
    const end = () => void worker.terminate()
    signal.addEventListener('abort', end)
    open.set(id, reply => {
      open.delete(id)
      signal.removeEventListener('abort', end)
      resolve(reply)
    })
    worker.postMessage({ id, ...call })
  })
}

function openThread(): Thread {
  const worker = new Worker(join(__dirname, 'guard-worker.cjs'), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
  const opened: Thread = { worker, open: new Map() }
  worker.on('message', (reply: GuardReply) => opened.open.get(reply.id)?.(reply))
  worker.on('error', () => {})
  worker.on('exit', () => {
    if (thread === opened) thread = undefined
    for (const settle of [...opened.open.values()]) settle(undefined)
  })
  worker.unref()
  return opened
}

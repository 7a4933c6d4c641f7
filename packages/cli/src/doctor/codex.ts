// Codex skips hooks that the user has not trusted, without a message. This queries its app server for their state, and
// never writes its trust.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { withTimeLimit } from '@holdfast/hooks/protocol'
import { targetOf } from '../edit/change.js'
import { isOurs } from '../install/entries.js'
import type { InstallLevel, InstallPlace } from '../install/place.js'
import { visible } from '../print/text.js'
import { count } from '../print/words.js'
import type { AgentState } from './agents.js'

const PATIENCE_MS = 10_000
/** Not needed for the query, and both would use the network. */
const QUIET = ['-c', 'features.plugins=false', '-c', 'features.apps=false']
const REVIEW = 'review them with /hooks.'

interface CodexHook {
  readonly hooks: readonly Readonly<Record<string, unknown>>[]
  readonly warnings?: readonly unknown[]
}

/** Without a signal nothing is started. */
export async function askCodex(
  { bridge, level, file }: InstallPlace,
  events: readonly string[],
  root: string,
  signal: AbortSignal | null,
): Promise<AgentState> {
  const all = count(events.length, 'event')
  const listed = signal ? await hooksIn(root, signal) : 'codex was not queried'
  if (typeof listed === 'string') {
    const message = `${all}; ${listed}, so it is not known whether they are trusted`
    return { state: 'unknown', message, fix: `If they are not: start codex and ${REVIEW}` }
  }
  const path = targetOf(file)
  const ours = listed.hooks.filter(
    hook => isOurs(hook, bridge) && typeof hook.sourcePath === 'string' && targetOf(hook.sourcePath) === path,
  )
  const warnings = (listed.warnings ?? []).filter(text => typeof text === 'string')
  const about = warnings.map(text => text.split(`${file}: `)[1]).find(text => text !== undefined)
  if (ours.length === 0) return unseen(level, about)
  const off = ours.filter(({ enabled }) => enabled === false).length
  const waiting = ours.filter(one => one.enabled !== false && !RUNS.includes(one.trustStatus)).length
  if (off + waiting === 0) return { state: 'well', message: `${all}, all trusted`, fix: null }
  const why = off === 0 ? 'not trusted' : waiting === 0 ? 'switched off' : 'not trusted or switched off'
  return {
    state: 'trouble',
    message: `Codex skips ${off + waiting} of ${all}: ${why}`,
    fix: `Start codex and ${REVIEW}`,
  }
}

/** None of our entries is in its list. */
function unseen(level: InstallLevel, warning: string | undefined): AgentState {
  const [why, fix] =
    warning !== undefined
      ? [`: ${visible(warning)}`, 'Correct it, then run this again.']
      : level === 'project'
        ? [', as it does not trust the folder', `Start codex in this folder, trust it, and ${REVIEW}`]
        : ['', 'Look for hooks = false under [features] in its config.toml.']
  return { state: 'trouble', message: `Codex skips the whole file${why}`, fix }
}

const RUNS: readonly unknown[] = ['trusted', 'managed']

/** A text when the query fails. */
const hooksIn = (root: string, signal: AbortSignal): Promise<CodexHook | string> =>
  withTimeLimit(PATIENCE_MS, signal, late => requestHooks(root, late))

async function requestHooks(root: string, late: AbortSignal): Promise<CodexHook | string> {
  const child = spawn('codex', [...QUIET, 'app-server'], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] })
  const answer = new Promise<CodexHook | string>(resolve => {
    child.once('error', () => resolve('codex is not on the PATH'))
    child.once('close', () => resolve('this version does not support the query'))
    late.addEventListener('abort', () => resolve('codex did not respond in time'))
    createInterface({ input: child.stdout }).on('line', line => {
      const { id, result, error } = parsed(line)
      if (id === 1 && error === undefined) {
        send({ method: 'initialized' })
        send({ id: 2, method: 'hooks/list', params: { cwds: [root] } })
      } else if (id === 1 || id === 2) {
        const [first] = Array.isArray(result?.data) ? result.data : []
        resolve(Array.isArray(first?.hooks) ? first : 'this version does not support the query')
      }
    })
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  child.stdin.on('error', () => {})
  const clientInfo = { name: 'holdfast', title: 'Holdfast', version: '1' }
  send({ id: 1, method: 'initialize', params: { clientInfo, capabilities: null } })
  try {
    return await answer
  } finally {
    // It ends when stdin closes, so nothing waits for it.
    child.stdin.end()
    if (late.aborted) child.kill()
    child.stdout.destroy()
    child.unref()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: output of another program, checked field by field
function parsed(line: string): any {
  try {
    return JSON.parse(line) ?? {}
  } catch {
    return {}
  }
}

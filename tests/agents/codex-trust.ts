// What a user does in Codex before hooks run: trust a folder, and trust the hooks on the page that /hooks opens. That
// page calls the program's own server, and so does this.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface Listed {
  /** The file, the event and its place there; trust is stored under this key. */
  readonly key: string
  readonly command?: string
  readonly currentHash: string
  readonly trustStatus: 'managed' | 'untrusted' | 'trusted' | 'modified'
}

export interface Where {
  readonly file: string
  /** Arguments of every call of the program. */
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Trusts every present hook and the given settings. Returns the hooks that are listed afterwards. */
export const trusted = (where: Where, settings: Readonly<Record<string, unknown>> = {}): Promise<Listed[]> =>
  withServer(where, async ask => {
    // A folder must be trusted first: only then are its hooks listed.
    for (const [keyPath, value] of Object.entries(settings)) await write(ask, keyPath, value)
    const found = await listed(ask, where.cwd)
    const state = found.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])
    await write(ask, 'hooks.state', Object.fromEntries(state))
    return listed(ask, where.cwd)
  })

type Ask = (method: string, params: object) => Promise<Record<string, unknown>>

const write = (ask: Ask, keyPath: string, value: unknown) =>
  ask('config/batchWrite', { edits: [{ keyPath, value, mergeStrategy: 'upsert' }] })

async function listed(ask: Ask, cwd: string): Promise<Listed[]> {
  const { data } = (await ask('hooks/list', { cwds: [cwd] })) as { data: { hooks: Listed[] }[] }
  return data.flatMap(({ hooks }) => hooks)
}

async function withServer<T>(where: Where, work: (ask: Ask) => Promise<T>): Promise<T> {
  const { file, args, cwd, env } = where
  const child = spawn(file, [...args, 'app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>()
  createInterface({ input: child.stdout }).on('line', line => {
    const { id, ...answer } = JSON.parse(line)
    waiting.get(id)?.(answer)
  })
  const ask: Ask = async (method, params) => {
    const id = waiting.size
    const answer = new Promise<{ result?: unknown; error?: unknown }>(resolve => waiting.set(id, resolve))
    child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
    const died = ended.then(() => ({ error: 'it ended' }))
    const { result, error } = (await Promise.race([answer, died])) as { result?: unknown; error?: unknown }
    if (error !== undefined) throw new Error(`codex app-server, ${method}: ${JSON.stringify(error)}`)
    return result as Record<string, unknown>
  }
  try {
    await ask('initialize', { clientInfo: { name: 'holdfast-proofs', version: '1' }, capabilities: null })
    child.stdin.write('{"method":"initialized"}\n')
    return await work(ask)
  } finally {
    child.stdin.end()
    await ended
  }
}

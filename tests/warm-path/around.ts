// A home folder with hooks, and the ways to call the bridge in it: Node, and the native client with or without a daemon.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { guard, watched } from '../processes.js'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

export const PROGRAM = at('packages/cli/bin/holdfast.cjs')
export const CLIENT = at(`packages/cli/client/dist/${process.platform}-${process.arch}/holdfast-client`)
/** Without a compiler there is no client, and agents start Node. */
export const hasClient = existsSync(CLIENT)

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CallOptions {
  readonly agent?: string
  readonly program?: string
  readonly client?: string
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly signal?: AbortSignal
}

export const DENIES = `#!/bin/sh\ncat > /dev/null\necho '{"permission": "deny", "user_message": "Not now."}'\n`
export const ALLOWS = `#!/bin/sh\ncat > /dev/null\necho '{"permission": "allow"}'\n`

export class Around {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'hw-')))
  readonly root = join(this.home, 'project')
  readonly run = join(this.home, '.holdfast', 'run')
  readonly socket = join(this.run, 'daemon.sock')
  readonly env: NodeJS.ProcessEnv = { HOME: this.home, PATH: process.env.PATH, NO_COLOR: '1' }
  private readonly daemons: ChildProcess[] = []
  private readonly programs = new Set([PROGRAM])

  constructor(
    hooks: Readonly<Record<string, readonly object[]>>,
    files: Readonly<Record<string, string>> = {},
  ) {
    mkdirSync(join(this.root, '.git'), { recursive: true })
    for (const [name, text] of Object.entries(files)) this.put(`.cursor/${name}`, text)
    this.put('.cursor/hooks.json', JSON.stringify({ version: 1, hooks }))
  }

  put(name: string, text: string): string {
    const path = join(this.home, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o755 })
    return path
  }

  payload(event: string, fields: object = {}): string {
    const base = { session_id: 's1', transcript_path: null, cwd: this.root, permission_mode: 'default' }
    return JSON.stringify({ ...base, hook_event_name: event, ...fields })
  }

  shell = (command: string): string =>
    this.payload('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 't1' })

  byNode(event: string, input: string, options: CallOptions = {}): Promise<Ended> {
    return this.start(process.execPath, this.words(event, options).slice(1), input, options)
  }

  byClient(event: string, input: string, options: CallOptions = {}): Promise<Ended> {
    return this.start(options.client ?? CLIENT, this.words(event, options), input, options)
  }

  /** As an entry of a gate calls it. */
  byEntry(event: string, input: string, options: CallOptions = {}): Promise<Ended> {
    const words = [options.client ?? CLIENT, ...this.words(event, options)]
    return this.start('/bin/sh', ['-c', '"$@" || exit 2', 'sh', ...words], input, options)
  }

  private words(event: string, { agent = 'claude-code', args = [], program = PROGRAM }: CallOptions) {
    return [process.execPath, program, 'bridge', agent, '--event', event, ...args]
  }

  start(file: string, args: readonly string[], input: string, options: CallOptions = {}): Promise<Ended> {
    const child = watched(
      spawn(file, args, {
        cwd: options.cwd ?? this.root,
        env: { ...this.env, ...options.env },
        stdio: ['pipe', 'pipe', 'pipe'],
        ...(options.signal ? { signal: options.signal, killSignal: 'SIGTERM' as const } : {}),
      }),
    )
    child.on('error', () => {})
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', chunk => (stdout += chunk))
    child.stderr.on('data', chunk => (stderr += chunk))
    return new Promise(resolve => child.once('close', code => resolve({ code, stdout, stderr })))
  }

  /** Runs until the test ends it. */
  async startDaemon(program = PROGRAM, stderr: 'ignore' | number = 'ignore'): Promise<ChildProcess> {
    const daemon = watched(
      spawn(process.execPath, [program, 'daemon', 'run', '--idle-minutes', '5'], {
        cwd: '/',
        env: this.env,
        stdio: ['ignore', 'ignore', stderr],
      }),
    )
    this.daemons.push(daemon)
    this.programs.add(program)
    await until(() => this.status(program)?.pid === daemon.pid)
    return daemon
  }

  /** Undefined if no daemon responds. */
  status(
    program = PROGRAM,
  ): { readonly pid: number; readonly calls: number; readonly declined: Record<string, number> } | undefined {
    const { status, stdout } = this.cli(['daemon', 'status', '--json'], program)
    return status === 0 ? JSON.parse(stdout) : undefined
  }

  cli(args: readonly string[], program = PROGRAM) {
    return spawnSync(process.execPath, [program, ...args], {
      cwd: this.root,
      env: this.env,
      encoding: 'utf8',
    })
  }

  /** Also a daemon that an event started. */
  async close(): Promise<void> {
    for (const daemon of this.daemons) {
      if (daemon.exitCode !== null || daemon.signalCode !== null) continue
      const ended = new Promise(resolve => daemon.once('exit', resolve))
      daemon.kill('SIGKILL')
      await ended
    }
    for (const program of this.programs) {
      const pid = this.status(program)?.pid
      if (pid === undefined) continue
      const release = guard(pid)
      process.kill(pid, 'SIGKILL')
      await until(() => !isAlive(pid))
      release()
    }
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 })
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

export async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!isTrue()) {
    if (Date.now() > end) throw new Error('The condition did not become true.')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** A response that an agent obeys as a block. */
export const isBlocked = ({ code, stdout }: Ended): boolean =>
  code === 2 || stdout.includes('"permissionDecision":"deny"')

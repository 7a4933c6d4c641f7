// A draft, ready to be asked: its manifest and script in a folder of their own, and the child that runs it there.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Content, Draft } from '../hooks/content.js'
import { manifestOf } from '../hooks/problems.js'
import { linesOf } from './lines.js'
import type { Sandbox } from './sandbox.js'

export interface Question {
  readonly id: string
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

export interface Reply {
  readonly id: string
  readonly verdict: 'allow' | 'deny' | 'ask' | 'none' | 'failed'
  readonly userMessage: string
  readonly agentMessage: string
  readonly failure: string
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly durationMs: number
  /** Its matcher may have passed over the event. */
  readonly ran: boolean
}

export interface Player {
  ask(question: Question): Promise<Reply>
  close(): Promise<void>
}

/** A draft gets at most this long for an answer here, in seconds. */
const LONGEST = 10
/** A draft can stop the child that runs it; then nothing comes any more. */
const SILENCE_MS = 3 * LONGEST * 1000
/** More than an answer has. */
const LONGEST_LINE = 1024 * 1024

/** In the built package it lies beside us; in the sources, in the built package. */
const CHILD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../dist/replay-child.mjs' : './replay-child.mjs',
    import.meta.url,
  ),
)

export function openPlayer(draft: Draft, sandbox: Sandbox | null, silenceMs = SILENCE_MS): Player {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'holdfast-replay-'))
  const [root, home] = [join(base, 'root'), join(base, 'home')]
  mkdirSync(root)
  writeDown(draft, home)
  const [node, code] = [realpathSync(process.execPath), realpathSync(CHILD)]
  const command = [node, code, home]
  const [file, ...args] = sandbox ? sandbox.inside(command, { root, home, files: [node, code] }) : command
  const child = spawn(file!, args, {
    cwd: home,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const waiting = new Map<string, { resolve(reply: Reply): void; reject(error: Error): void }>()
  let said = ''
  let problem = ''
  let isEnded = false
  let silence: NodeJS.Timeout | undefined
  const giveUp = (because: string) => {
    problem ||= because
    endGroup(child.pid)
  }
  const listen = () => {
    clearTimeout(silence)
    if (waiting.size > 0 && !isEnded) silence = setTimeout(() => giveUp('it no longer answers'), silenceMs)
  }
  child.stderr.on('data', chunk => (said = `${said}${chunk}`.slice(-2000)))
  child.stdin.on('error', () => {})
  child.stdout.on(
    'data',
    linesOf(LONGEST_LINE, line => {
      if (line === null) return giveUp('it says too much at once')
      try {
        const reply = JSON.parse(line) as Reply
        waiting.get(reply.id)?.resolve(reply)
        waiting.delete(reply.id)
        listen()
      } catch {
        // what a draft prints into our line is not an answer
      }
    }),
  )
  const ended = new Promise<void>(resolve => {
    const end = (error: Error) => {
      isEnded = true
      listen()
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      remove(base)
      resolve()
    }
    child.once('error', end)
    child.once('close', code =>
      end(
        new Error(
          `the sandbox ended${problem ? `, as ${problem}` : ` with code ${code}`}: ${said.trim().slice(0, 500)}`,
        ),
      ),
    )
  })
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        if (isEnded) return reject(new Error('the sandbox has ended'))
        waiting.set(question.id, { resolve, reject })
        if (waiting.size === 1) listen()
        child.stdin.write(`${JSON.stringify(question)}\n`)
      }),
    async close() {
      child.stdin.end()
      const late = setTimeout(() => endGroup(child.pid), 2000)
      await ended
      clearTimeout(late)
      endGroup(child.pid)
    },
  }
}

function writeDown({ content, script }: Draft, home: string): void {
  const folder = join(home, '.cursor', 'managed', 'team_draft', 'hooks')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const bounded: Content = {
    ...content,
    mode: 'enforce',
    timeout: Math.min(content.timeout ?? LONGEST, LONGEST),
  }
  writeFileSync(join(folder, 'manifest.json'), manifestOf([bounded]))
  if (content.script_name !== undefined)
    writeFileSync(join(folder, content.script_name), script ?? '', { mode: 0o500 })
}

/** Without a sandbox a draft may have made what cannot be removed. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // it stays among the temporary files
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}

// A draft, ready to be asked: its manifest and script in a folder of their own, and the child that runs it there.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Content, Draft } from '../hooks/content.js'
import { manifestOf } from '../hooks/problems.js'
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

/** In the built package it lies beside us; in the sources, in the built package. */
const CHILD = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../dist/replay-child.js' : './replay-child.js',
    import.meta.url,
  ),
)

export function openPlayer({ content, script }: Draft, sandbox: Sandbox | null): Player {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-replay-'))
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
  const command = [process.execPath, CHILD, home]
  const [file, ...args] = sandbox ? sandbox.inside(command) : command
  const child = spawn(file!, args, {
    cwd: home,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const waiting = new Map<string, { resolve(reply: Reply): void; reject(error: Error): void }>()
  let said = ''
  child.stderr.on('data', chunk => (said = `${said}${chunk}`.slice(-2000)))
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', line => {
    try {
      const reply = JSON.parse(line) as Reply
      waiting.get(reply.id)?.resolve(reply)
      waiting.delete(reply.id)
    } catch {
      // what a draft prints into our line is not an answer
    }
  })
  const ended = new Promise<void>(resolve => {
    const end = (error: Error) => {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      rmSync(home, { recursive: true, force: true })
      resolve()
    }
    child.once('error', end)
    child.once('close', code =>
      end(new Error(`the sandbox ended with code ${code}: ${said.trim().slice(0, 500)}`)),
    )
  })
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null) return reject(new Error('the sandbox has ended'))
        waiting.set(question.id, { resolve, reject })
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

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // it is gone
  }
}

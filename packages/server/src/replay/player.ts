// A draft in a sandbox, ready for events. Nothing of the draft is written outside.

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import * as v from 'valibot'
import type { Content, Draft } from '../hooks/content.js'
import { manifestOf } from '../hooks/problems.js'
import { RequestError } from '../request-error.js'
import { linesOf } from './lines.js'
import { CHILD, HOME, type Sandbox } from './sandbox.js'

export interface DraftQuestion {
  readonly id: string
  readonly event: string
  readonly facts: Readonly<Record<string, unknown>>
}

/** The draft runs beside the program that writes this, and may write as well. */
const REPLY = v.object({
  id: v.string(),
  verdict: v.picklist(['allow', 'deny', 'ask', 'none', 'failed']),
  userMessage: v.string(),
  agentMessage: v.string(),
  failure: v.string(),
  stdout: v.string(),
  stderr: v.string(),
  exitCode: v.pipe(v.number(), v.safeInteger(), v.minValue(-(2 ** 31)), v.maxValue(2 ** 31 - 1)),
  durationMs: v.pipe(v.number(), v.finite(), v.minValue(0)),
  /** Its matcher may have skipped the event. */
  ran: v.boolean(),
})
export type DraftReply = Readonly<v.InferOutput<typeof REPLY>>

export interface Player {
  ask(question: DraftQuestion): Promise<DraftReply>
  close(): Promise<void>
}

/** The time limit of a draft for a response here, in seconds. */
const LONGEST = 10
/** A draft can stop the child that runs it; then no output follows. */
const SILENCE_MS = 3 * LONGEST * 1000
/** Larger than any response. */
const LONGEST_LINE = 1024 * 1024

/** The first line that the child reads; it writes the files of the draft, inside. */
export interface Start {
  readonly manifest: string
  readonly scriptName?: string
  readonly script: string
}

export function openPlayer(draft: Draft, sandbox: Sandbox, silenceMs = SILENCE_MS): Player {
  const child = sandbox.start([process.execPath, CHILD, HOME])
  const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams
  const waiting = new Map<string, { resolve(reply: DraftReply): void; reject(error: Error): void }>()
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
    if (waiting.size > 0 && !isEnded)
      silence = setTimeout(() => giveUp('the draft does not respond'), silenceMs)
  }
  stderr.on('data', chunk => (said = `${said}${chunk}`.slice(-2000)))
  stdin.on('error', () => {})
  stdout.on(
    'data',
    linesOf(LONGEST_LINE, line => {
      if (line === null) return giveUp('one response is too long')
      try {
        const reply = v.parse(REPLY, JSON.parse(line))
        waiting.get(reply.id)?.resolve(reply)
        waiting.delete(reply.id)
        listen()
      } catch {
        // output of the draft on our channel is not a response
      }
    }),
  )
  stdin.write(`${JSON.stringify(startOf(draft))}\n`)
  const ended = new Promise<void>(resolve => {
    const end = (error: Error) => {
      isEnded = true
      listen()
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
      resolve()
    }
    child.once('error', end)
    child.once('close', code =>
      end(
        new RequestError(
          'not-now',
          `The dry run ended${problem ? `, because ${problem}` : ` with code ${code}`}: ${said.trim().slice(0, 500)}`,
        ),
      ),
    )
  })
  return {
    ask: question =>
      new Promise((resolve, reject) => {
        if (isEnded) return reject(new RequestError('not-now', 'The dry run has ended.'))
        waiting.set(question.id, { resolve, reject })
        if (waiting.size === 1) listen()
        stdin.write(`${JSON.stringify(question)}\n`)
      }),
    async close() {
      stdin.end()
      const late = setTimeout(() => endGroup(child.pid), 2000)
      await ended
      clearTimeout(late)
      endGroup(child.pid)
    },
  }
}

function startOf({ content, script }: Draft): Start {
  const bounded: Content = {
    ...content,
    mode: 'enforce',
    timeout: Math.min(content.timeout ?? LONGEST, LONGEST),
  }
  const { script_name: scriptName } = content
  return {
    manifest: manifestOf([bounded]),
    ...(scriptName === undefined ? {} : { scriptName }),
    script: script ?? '',
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

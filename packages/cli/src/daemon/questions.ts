// The questions from hooks that wait in the daemon until a person answers. The first answer counts; no answer is a no.

import type { AskQuestion, Refusal } from '@holdfast/hooks'

/** What a person must know to answer. */
export interface OpenQuestion {
  readonly agent: string
  readonly event: string
  /** The command, or the tool and its input. */
  readonly subject: string
  readonly message: string | null
  /** The names of the hooks that ask. */
  readonly hooks: readonly string[]
  readonly cwd: string
  /** How long it waits: the longest time limit of the hooks that ask. */
  readonly waitMs: number
}

export interface Waiting extends OpenQuestion {
  readonly id: string
  readonly askedAt: string
}

type Answer = true | Refusal

/** What a person approves must not hide behind a cut, so only absurd lengths are cut. */
const LONGEST_SUBJECT = 50_000
const SHORTEST_WAIT_MS = 1000
/** Without a hook there is no time limit of one. */
const DEFAULT_WAIT_MS = 60_000

/** `verdict` is undefined if no hook asks, such as for the changed definition of an MCP tool. */
export type Asked = Pick<AskQuestion, 'fields' | 'message'> & { readonly verdict?: AskQuestion['verdict'] }

export function questionOf({ verdict, fields, message }: Asked, agent: string): OpenQuestion {
  const { command, tool_name, tool_input, cwd, hook_event_name } = fields
  const input = typeof tool_input === 'string' ? tool_input : JSON.stringify(tool_input ?? {})
  // Events of MCP have a command, too: the one that starts the server.
  const subject = typeof tool_name === 'string' ? `${tool_name} ${input}` : String(command ?? '')
  const hidden = subject.length - LONGEST_SUBJECT
  const deciders = verdict?.deciders ?? []
  return {
    agent,
    event: String(hook_event_name ?? ''),
    subject: hidden > 0 ? `${subject.slice(0, LONGEST_SUBJECT)}… (${hidden} more characters)` : subject,
    message,
    hooks: [...new Set(deciders.map(({ hook }) => hook.name))],
    cwd: typeof cwd === 'string' ? cwd : '',
    waitMs: verdict
      ? Math.max(SHORTEST_WAIT_MS, ...deciders.map(({ hook }) => hook.timeoutMs))
      : DEFAULT_WAIT_MS,
  }
}

export interface Questions {
  ask(question: OpenQuestion, signal: AbortSignal): Promise<Answer>
  list(): readonly Waiting[]
  /** False if the question is answered already, or was withdrawn. */
  answer(id: string, isYes: boolean): boolean
}

export function openQuestions(log: (text: string) => void, notify: (question: Waiting) => void): Questions {
  const open = new Map<string, { question: Waiting; settle: (answer: Answer) => void }>()
  return {
    ask: (question, signal) =>
      new Promise(resolve => {
        const id = newId(open)
        const seconds = Math.round(question.waitMs / 1000)
        const settle = (answer: Answer) => {
          if (!open.delete(id)) return
          clearTimeout(timer)
          signal.removeEventListener('abort', withdraw)
          log(`question ${id} of ${question.agent}: ${answer === true ? 'approved' : answer.reason}`)
          resolve(answer)
        }
        const withdraw = () =>
          settle({ reason: 'The question was withdrawn, because the agent stopped waiting.' })
        const timer = setTimeout(
          () =>
            settle({
              reason: `A hook asks for approval, and nobody answered within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Answer in holdfast ui or holdfast approvals.`,
            }),
          Math.min(question.waitMs, 2 ** 31 - 1),
        )
        const waiting = { ...question, id, askedAt: new Date().toISOString() }
        open.set(id, { question: waiting, settle })
        if (signal.aborted) withdraw()
        else {
          signal.addEventListener('abort', withdraw)
          log(`question ${id} of ${question.agent} waits for ${seconds} seconds`)
          notify(waiting)
        }
      }),
    list: () => [...open.values()].map(({ question }) => question),
    answer(id, isYes) {
      const found = open.get(id)
      found?.settle(isYes ? true : { reason: 'A person refused this.' })
      return found !== undefined
    },
  }
}

/** Short, because a person types it. It is no secret. */
function newId(open: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const id = Math.floor(Math.random() * 36 ** 4)
      .toString(36)
      .padStart(4, '0')
    if (!open.has(id)) return id
  }
}

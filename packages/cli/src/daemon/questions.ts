// The questions of hooks that wait in the daemon until a person answers. The first answer counts; no answer is a no.

import type { AskQuestion, Refusal } from '@holdfast/hooks'

/** What a person must know to answer. */
export interface OpenQuestion {
  readonly agent: string
  readonly event: string
  /** The command, or the tool and its input. */
  readonly subject: string
  readonly message: string | null
  readonly cwd: string
  /** How long it waits: the longest time limit of the hooks that ask. */
  readonly waitMs: number
}

export interface Waiting extends OpenQuestion {
  readonly id: string
  readonly askedAt: string
}

type Answer = true | Refusal

const LONGEST_SUBJECT = 2000

export function questionOf({ verdict, fields, message }: AskQuestion, agent: string): OpenQuestion {
  const { command, tool_name, tool_input, cwd, hook_event_name } = fields
  const input = typeof tool_input === 'string' ? tool_input : JSON.stringify(tool_input ?? {})
  const subject = typeof command === 'string' ? command : `${String(tool_name ?? '')} ${input}`
  return {
    agent,
    event: String(hook_event_name),
    subject: subject.length > LONGEST_SUBJECT ? `${subject.slice(0, LONGEST_SUBJECT)}…` : subject,
    message,
    cwd: typeof cwd === 'string' ? cwd : '',
    waitMs: Math.max(1000, ...verdict.deciders.map(({ hook }) => hook.timeoutMs)),
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
              reason: `A hook asks for approval, and nobody answered within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}. Answer in a terminal: holdfast approvals`,
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
      found?.settle(isYes ? true : { reason: 'A person refused this in holdfast approvals.' })
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

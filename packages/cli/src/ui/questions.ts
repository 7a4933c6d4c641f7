// The questions that wait in the daemon, for pages: they are listed, followed and answered.

import { Code } from '@connectrpc/connect'
import type { Waiting } from '../daemon/questions.js'
import { refusal } from './refusals.js'

/** From `holdfast ui`, because this bundle does not call the daemon itself. */
export interface QuestionSource {
  list(): Promise<readonly Waiting[] | 'absent' | 'broken'>
  answer(id: string, answer: 'allow' | 'deny'): Promise<boolean>
  /** Why no person is at the terminal of this panel; undefined if one may be. */
  readonly unattended: string | undefined
}

const LOOK_MS = 500

export interface PanelQuestions {
  list(): Promise<QuestionList>
  answer(id: string, isAllowed: boolean): Promise<{ counted: boolean }>
  /** Calls the listener when questions came or went. Returns the function that removes it. */
  onChange(listener: () => void): () => void
}

interface QuestionList {
  readonly daemon: string
  readonly noAnswer: string
  readonly questions: ReturnType<typeof toQuestion>[]
}

export function openPanelQuestions(source: QuestionSource): PanelQuestions {
  const { unattended } = source
  const noAnswer =
    unattended === undefined
      ? ''
      : `This panel cannot answer: ${unattended}, and an agent must not answer for itself. Answer in a terminal of your own with holdfast approvals, or start holdfast ui there.`
  const listeners = new Set<() => void>()
  const list = async () => source.list().catch(() => 'broken' as const)
  let timer: NodeJS.Timeout | undefined
  let before: string | undefined
  /** The daemon is asked only while a page is open. */
  const follow = async () => {
    const found = await list()
    const now = typeof found === 'string' ? found : found.map(({ id }) => id).join()
    if (before !== undefined && now !== before) for (const listener of listeners) listener()
    before = now
    if (listeners.size > 0) timer = setTimeout(follow, LOOK_MS)
    else stop()
  }
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    before = undefined
  }
  return {
    async list() {
      const found = await list()
      return typeof found === 'string'
        ? { daemon: found, noAnswer, questions: [] }
        : { daemon: 'running', noAnswer, questions: found.map(toQuestion) }
    },
    async answer(id, isAllowed) {
      if (noAnswer) throw refusal(Code.PermissionDenied, noAnswer)
      return { counted: await source.answer(id, isAllowed ? 'allow' : 'deny') }
    },
    onChange(listener) {
      listeners.add(listener)
      timer ??= setTimeout(follow, 0)
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
  }
}

const toQuestion = ({ id, agent, event, subject, message, hooks, cwd, askedAt, waitMs }: Waiting) => ({
  id,
  agent,
  event,
  subject,
  message: message ?? '',
  hooks: [...hooks],
  folder: cwd,
  askedAt: Date.parse(askedAt),
  endsAt: Date.parse(askedAt) + waitMs,
})

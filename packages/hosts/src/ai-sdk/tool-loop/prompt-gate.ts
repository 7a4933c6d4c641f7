// The messages that the user sends with a call of the agent. The application holds them, so one that hooks blocked or
// rewrote comes again with the next call: it is left out or rewritten then, too.

import { HookBlockedError } from '@holdfast/hooks'
import type { ModelMessage } from 'ai'
import type { Scene } from '../agent/scene.js'
import { submit } from '../agent/turn.js'

export class PromptGate {
  /** What is sent instead of a message: undefined for one that is left out. */
  private readonly instead = new Map<string, ModelMessage | undefined>()

  constructor(private readonly scene: Scene) {}

  /** The messages that may be sent. Throws HookBlockedError if hooks block the new ones. */
  async pass(messages: readonly ModelMessage[], signal: AbortSignal): Promise<ModelMessage[]> {
    const last = messages.at(-1)
    // Sending a blocked message again asks the hooks again.
    const kept = messages.flatMap(each => {
      const isOld = each !== last && this.instead.has(keyOf(each))
      return isOld ? (this.instead.get(keyOf(each)) ?? []) : [each]
    })
    // Tool results and approvals are not messages of the user.
    if (last?.role !== 'user') return kept
    const sent = kept.slice(kept.findLastIndex(({ role }) => role !== 'user') + 1)
    try {
      const prompt = sent.map(textOf).join('\n\n')
      const text = await submit(this.scene, { prompt }, signal)
      this.instead.delete(keyOf(last))
      if (text === prompt) return kept
      const others = sent.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text'),
      )
      const message = { role: 'user', content: [{ type: 'text', text }, ...others] } as ModelMessage
      for (const each of sent) this.instead.set(keyOf(each), each === last ? message : undefined)
      return [...kept.slice(0, -sent.length), message]
    } catch (error) {
      if (HookBlockedError.isInstance(error))
        for (const each of sent) this.instead.set(keyOf(each), undefined)
      else signal.throwIfAborted()
      throw error
    }
  }
}

const keyOf = ({ role, content }: ModelMessage): string => (role === 'user' ? JSON.stringify(content) : '')

const textOf = ({ content }: ModelMessage): string =>
  typeof content === 'string'
    ? content
    : content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n')

// What the person sends with a call of the agent, and what was kept back before. The application holds the messages, so
// a blocked one may come again with the next: it is left out then.

import { HookBlockedError } from '@holdfast/hooks'
import type { ModelMessage } from 'ai'
import type { Scene } from '../agent/scene.js'
import { submit } from '../agent/turn.js'

export class PromptGate {
  private readonly blocked = new Set<string>()

  constructor(private readonly scene: Scene) {}

  /** The messages that may be sent. Throws HookBlockedError when hooks keep back those that are new. */
  async pass(messages: readonly ModelMessage[], signal: AbortSignal): Promise<ModelMessage[]> {
    const last = messages.at(-1)
    // Who sends it once more asks once more.
    const kept = messages.filter(each => each === last || !this.blocked.has(keyOf(each)))
    // Results of tools and approvals are not a message of the person.
    if (last?.role !== 'user') return kept
    const sent = kept.slice(kept.findLastIndex(({ role }) => role !== 'user') + 1)
    try {
      await submit(this.scene, { prompt: sent.map(textOf).join('\n\n') }, signal)
      this.blocked.delete(keyOf(last))
      return kept
    } catch (error) {
      if (HookBlockedError.isInstance(error)) for (const each of sent) this.blocked.add(keyOf(each))
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

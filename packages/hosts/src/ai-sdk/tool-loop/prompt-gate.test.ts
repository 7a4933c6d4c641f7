import { HookBlockedError } from '@holdfast/hooks'
import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { PromptGate } from './prompt-gate.js'

const user = (content: string): ModelMessage => ({ role: 'user', content })
const model = (content: string): ModelMessage => ({ role: 'assistant', content })

/**
 * A gate whose hooks block each prompt with the word "secret" as long as `isStrict` holds, replace "token" and add context
 * to "why".
 */
function gate() {
  const asked: string[] = []
  const state = { isStrict: true }
  const session = {
    async guard(_: string, { prompt }: { prompt: string }) {
      asked.push(prompt)
      if (state.isStrict && prompt.includes('secret')) throw new HookBlockedError({} as never, 'No.', 'No.')
      const additionalContext = prompt.includes('why') ? 'Because.' : null
      return { prompt: prompt.replace('token', '[removed]'), verdict: { additionalContext } }
    },
  }
  const { signal } = new AbortController()
  const opened = new PromptGate({ session } as never)
  return { asked, state, pass: (...messages: ModelMessage[]) => opened.pass(messages, signal) }
}

describe('the hooks before a prompt', () => {
  it('receive every text that the user sent since the last response', async () => {
    const { asked, pass } = gate()
    const parts: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'one' },
        { type: 'image', image: 'data:' },
        { type: 'text', text: 'two' },
      ],
    }
    await pass(user('old'), model('ok'), user('new'), parts)
    expect(asked).toEqual(['new\n\none\ntwo'])
  })

  it('are not called when the user sent nothing', async () => {
    const { asked, pass } = gate()
    expect(await pass(user('a'), model('b'))).toHaveLength(2)
    expect(asked).toEqual([])
  })
})

describe('a rewritten message', () => {
  it('is sent instead of the original, with its other parts, also in later calls', async () => {
    const { pass } = gate()
    const image = { type: 'image', image: 'data:' } as const
    const sent: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'my token' }, image] }
    const rewritten = { role: 'user', content: [{ type: 'text', text: 'first\n\nmy [removed]' }, image] }
    expect(await pass(model('a'), user('first'), sent)).toEqual([model('a'), rewritten])
    const later = await pass(model('a'), user('first'), sent, model('ok'), user('next'))
    expect(later).toEqual([model('a'), rewritten, model('ok'), user('next')])
  })

  it('has the context of hooks behind it', async () => {
    const { pass } = gate()
    expect(await pass(user('why'))).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'why\n\nBecause.' }] },
    ])
  })
})

describe('a blocked message', () => {
  it('is left out of later calls, with all that was sent together with it', async () => {
    const { pass } = gate()
    await expect(pass(user('first'), user('secret'))).rejects.toThrow()
    const later = await pass(user('first'), user('secret'), model('ok'), user('next'))
    expect(later).toEqual([model('ok'), user('next')])
  })

  it('does not take a message of the model with the same words along', async () => {
    const { pass } = gate()
    await expect(pass(user('secret'))).rejects.toThrow()
    expect(await pass(model('secret'), user('next'))).toEqual([model('secret'), user('next')])
  })

  it('is asked about again when it is sent again, and stays once it was let through', async () => {
    const { asked, state, pass } = gate()
    await expect(pass(user('secret'))).rejects.toThrow()
    await expect(pass(user('secret'))).rejects.toThrow()
    state.isStrict = false
    expect(await pass(user('secret'))).toEqual([user('secret')])
    expect(asked).toHaveLength(3)
    const later = [user('secret'), model('ok'), user('next')]
    expect(await pass(...later)).toEqual(later)
  })
})

// A conversation that no longer fits: what hooks receive before it is summarised, and what remains of it.

import type { ModelMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CompactionOptions } from './compaction.js'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, eventsIn, given, namesIn, saying, until } from './testing/running.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const events = (name: string) => eventsIn(place, name)
const look: ScriptedLine = { calls: [{ tool: 'LS', input: {} }] }
const full: ScriptedLine = { ...look, inputTokens: 900 }

async function agentOf(script: readonly ScriptedLine[], compaction: Partial<CompactionOptions> = {}) {
  const notices: string[] = []
  const running = await agentIn(place, script, {
    compaction: { contextWindow: 1000, ...compaction },
    onNotice: text => notices.push(text),
  })
  return { ...running, notices }
}

describe('a conversation that is nearly full', () => {
  it('is summarised between two steps, after hooks were called', async () => {
    place.audit({ preCompact: [saying({ user_message: 'Shortening.' })] })
    const { agent, model, notices } = await agentOf([
      look,
      look,
      full,
      { text: 'They looked.' },
      { text: 'Done.' },
    ])
    await agent.send('Look around carefully')
    await agent.end()
    expect(events('preCompact')).toMatchObject([
      {
        trigger: 'auto',
        context_tokens: 905,
        context_window_size: 1000,
        context_usage_percent: 91,
        message_count: 7,
        messages_to_compact: 3,
        is_first_compaction: true,
      },
    ])
    expect(notices).toEqual(['Shortening.'])
    const [, , , asked, after] = model.prompts
    // No call and no result of a tool: this question brings no tools along.
    expect(asked!.map(({ role }) => role)).toEqual(['user'])
    expect(given(asked)).toContain('Look around carefully')
    expect(given(asked)).toContain('calls LS with {}')
    expect(given(asked)).not.toContain('tool-call')
    expect(after!.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool'])
    expect(given(after)).toContain('Summary of the conversation so far:\\n\\nThey looked.')
    expect(given(after)).not.toContain('Look around carefully')
    expect(agent.messages).toHaveLength(6)
    // The summary is not a message of the agent.
    expect(events('afterAgentResponse').map(({ text }) => text)).toEqual(['Done.'])
  })

  it('is shortened again when it is full again, and only then', async () => {
    place.audit()
    const { agent } = await agentOf([look, look, full, look, full, { text: 'Done.' }], {
      summarise: async messages => `${messages.length} messages`,
    })
    await agent.send('Go')
    await agent.end()
    expect(events('preCompact').map(({ is_first_compaction }) => is_first_compaction)).toEqual([true, false])
  })

  it.each([
    ['that fails', () => Promise.reject(new Error('no')), 'no'],
    ['that throws no error', () => Promise.reject('words'), 'words'],
  ])('stays unchanged with a summary %s, and the user is informed', async (_, summarise, said) => {
    place.audit()
    const { agent, notices } = await agentOf([look, look, full, { text: 'Done.' }], { summarise })
    expect((await agent.send('Go')).text).toBe('Done.')
    await agent.end()
    expect(notices).toEqual([`The conversation could not be summarised: ${said}`])
    expect(agent.messages).toHaveLength(8)
  })

  it('stays unchanged when the user stops the turn meanwhile', async () => {
    place.audit()
    const controller = new AbortController()
    const summarise = (_: readonly ModelMessage[], signal?: AbortSignal) =>
      new Promise<string>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
        controller.abort()
      })
    const { agent, notices } = await agentOf([look, look, full], { summarise })
    expect(await agent.send('Go', { signal: controller.signal })).toMatchObject({ status: 'aborted' })
    await agent.end()
    expect(notices).toEqual([])
    expect(agent.messages).toHaveLength(7)
  })
})

describe('a person who wants it shorter', () => {
  const lines = [look, look, { text: 'Looked.' }, { text: 'The summary.' }, { text: 'Still here.' }]

  it('gets it, and hooks receive the trigger', async () => {
    place.audit({ preCompact: [saying({ user_message: 'Shortening.' })] })
    const { agent, model, notices } = await agentOf(lines)
    await agent.send('Look')
    expect(await agent.compact()).toBe(true)
    expect(events('preCompact')).toMatchObject([
      { trigger: 'manual', message_count: 6, messages_to_compact: 1, context_tokens: 15 },
    ])
    expect(notices).toEqual(['Shortening.'])
    expect((await agent.send('There?')).text).toBe('Still here.')
    await agent.end()
    expect(given(model.prompts[4])).toContain('The summary.')
  })

  it('is informed when there is nothing to summarise, and hooks are not called', async () => {
    place.audit()
    const { agent } = await agentOf([{ text: 'Hello.' }])
    await agent.send('Hi')
    expect(await agent.compact()).toBe(false)
    await agent.end()
    expect(namesIn(place)).not.toContain('preCompact')
    const { agent: without } = await agentIn(place, [])
    await expect(without.compact()).rejects.toThrow('started without "compaction"')
    await without.end()
  })

  it('does not lose a message that comes meanwhile, and can leave', async () => {
    place.audit()
    let isAsked = false
    const summarise = (_: readonly ModelMessage[], signal?: AbortSignal) =>
      new Promise<string>((_, reject) => {
        isAsked = true
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    const { agent } = await agentOf(lines, { summarise })
    await agent.send('Look')
    const shortening = agent.compact()
    await until(() => isAsked)
    await expect(agent.send('And?')).rejects.toThrow('A turn is running')
    await Promise.all([agent.end(), expect(shortening).rejects.toThrow('The session is ending.')])
    expect(agent.messages).toHaveLength(6)
  })
})

it('a subagent is shortened for itself', async () => {
  place.audit()
  const input = { description: 'look', prompt: 'Look.', subagent_type: 'explore' }
  const small = scriptedModel([look, look, full, { text: 'They looked.' }, { text: 'Found.' }], {
    modelId: 'small',
  })
  const { agent } = await agentIn(place, [{ calls: [{ tool: 'Task', input }] }, { text: 'Done.' }], {
    compaction: { contextWindow: 1000 },
    subagents: { explore: { description: 'looks', instructions: 'Look.', model: small } },
  })
  await agent.send('Go')
  await agent.end()
  expect(events('preCompact')).toMatchObject([
    { model: 'small', parent_conversation_id: agent.session.conversationId, message_count: 7 },
  ])
})

// A stream of an agent with hooks, in every form in which the AI SDK hands it out.

import { createAgentUIStream, readUIMessageStream, type UIMessage } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedLine, scriptedModel } from '../agent/scripted-model.js'
import { openPlace, type Place } from '../agent/testing/place.js'
import { eventsIn, namesIn, saying, until } from '../agent/testing/running.js'
import { hookedIn, shell } from './testing/hooked.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const names = () => namesIn(place)
const events = (name: string) => eventsIn(place, name)
const hooked = (script: readonly ScriptedLine[], settings: object = {}) => hookedIn(place, script, settings)

describe('a stream', () => {
  const texts = async (parts: AsyncIterable<string>) => {
    let all = ''
    for await (const part of parts) all += part
    return all
  }

  it('goes on where a hook goes on, in every form of it', async () => {
    place.audit({ stop: [saying({ followup_message: 'Once more.' }, { loop_limit: 1 })] })
    const { agent } = await hooked([{ text: 'one ' }, { text: 'two' }])
    const result = await agent.stream({ prompt: 'Go' })
    const types: string[] = []
    for await (const part of result.fullStream) {
      types.push(part.type)
      if (part.type === 'finish') expect(part.totalUsage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    }
    expect(types.filter(type => type === 'start' || type === 'finish')).toEqual(['start', 'finish'])
    expect(types.filter(type => type === 'start-step')).toHaveLength(2)
    expect(await texts(result.textStream)).toBe('one two')
    expect(await result.text).toBe('two')
    expect(await result.finishReason).toBe('stop')
    expect(await result.toTextStreamResponse().text()).toBe('one two')
    const chunks = (await result.toUIMessageStreamResponse().text()).match(/"type":"(start|finish)"/g)
    expect(chunks).toEqual(['"type":"start"', '"type":"finish"'])
    await result.consumeStream()
    await agent.end()
  })

  it('is an agent of the SDK: its UI stream takes it as it is', async () => {
    place.audit({ stop: [saying({ followup_message: 'Once more.' }, { loop_limit: 1 })] })
    const { agent } = await hooked([shell('echo hi'), { text: 'one' }, { text: 'two' }])
    const uiMessages: UIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Go' }] }]
    const finished: UIMessage[] = []
    const stream = await createAgentUIStream({
      agent: agent as never,
      uiMessages,
      onFinish: ({ responseMessage }) => void finished.push(responseMessage),
    })
    let last: UIMessage | undefined
    for await (const message of readUIMessageStream({ stream: stream as never })) last = message
    await agent.end()
    const kinds = last!.parts.map(part => (part.type === 'text' ? part.text : part.type))
    expect(kinds.filter(kind => kind !== 'step-start')).toEqual(['tool-Shell', 'one', 'two'])
    expect(finished).toHaveLength(1)
    expect(finished[0]!.parts).toHaveLength(last!.parts.length)
  })

  it('that nobody reads comes to its end all the same', async () => {
    place.audit()
    const { agent } = await hooked([shell('touch made'), { text: 'Done.' }])
    await agent.stream({ prompt: 'Go' })
    await until(() => names().includes('stop'))
    expect(place.has('made')).toBe(true)
    expect(events('stop')).toMatchObject([{ status: 'completed' }])
    await agent.end()
  })

  it('that is aborted says so to its reader and to hooks', async () => {
    place.audit()
    const model = scriptedModel([{ text: 'word '.repeat(200) }], { delayMs: 10 })
    const { agent } = await hooked([], { model })
    const controller = new AbortController()
    const { fullStream } = await agent.stream({ prompt: 'Go', abortSignal: controller.signal })
    let last = ''
    for await (const part of fullStream) {
      last = part.type
      if (part.type === 'text-delta') controller.abort()
    }
    expect(last).toBe('abort')
    await agent.end('aborted')
    expect(names().slice(-2)).toEqual(['stop', 'sessionEnd'])
    expect(events('afterAgentResponse')).toEqual([])
  })

  it('shows a denied call as one that failed', async () => {
    place.audit({ preToolUse: [saying({ permission: 'deny', agent_message: 'No.' })] })
    const { agent } = await hooked([shell('touch made'), { text: 'Ok.' }])
    const { fullStream } = await agent.stream({ prompt: 'Go' })
    const errors: unknown[] = []
    for await (const part of fullStream) if (part.type === 'tool-error') errors.push(String(part.error))
    await agent.end()
    expect(errors).toEqual([expect.stringContaining('Error: No.\nAgent note: Do not suggest workarounds')])
  })
})

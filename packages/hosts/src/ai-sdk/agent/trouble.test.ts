// When the model, a tool or the user stops: what is reported, what remains, and that the conversation can continue.

import { jsonSchema, type ToolSet, tool } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScriptedLine, scriptedModel } from './scripted-model.js'
import { openPlace, type Place } from './testing/place.js'
import { agentIn, altered, eventsIn, given, namesIn, saying, until } from './testing/running.js'

let place: Place
beforeEach(() => {
  place = openPlace()
})
afterEach(() => place.close())

const events = (name: string) => eventsIn(place, name)
const call = (name: string, input: unknown = {}): ScriptedLine => ({ calls: [{ tool: name, input }] })
const doing = (execute: (input: unknown, options: { abortSignal?: AbortSignal }) => unknown): ToolSet => ({
  own: tool({ inputSchema: jsonSchema({ type: 'object' }), execute: execute as never }),
})

describe('a provider', () => {
  it('that fails later leaves what was done before', async () => {
    place.audit({ stop: [saying({ followup_message: 'Go on.' })] })
    const { agent, model } = await agentIn(place, [
      call('LS'),
      { error: new Error('overloaded') },
      { text: 'Here again.' },
      { error: new Error('gone') },
    ])
    await expect(agent.send('Go')).rejects.toThrow('overloaded')
    expect(events('stop')).toMatchObject([{ status: 'error', input_tokens: 10 }])
    await expect(agent.send('Again')).rejects.toThrow('gone')
    await agent.end()
    expect(given(model.prompts[2])).toContain('tool-result')
    expect(events('stop').map(({ status }) => status)).toEqual(['error', 'completed', 'error'])
  })

  it.each([
    ['an error among its parts', new Error('broke off'), 'broke off'],
    ['something that is no error', 'just words', 'just words'],
  ])('that sends %s fails the turn, and runs no tool of it', async (_, error, said) => {
    place.audit()
    const ran: unknown[] = []
    const script = scriptedModel([{ text: 'I do.', ...call('own') }, { text: 'Ok.' }])
    let isFirst = true
    const model = altered(script, part => {
      if (part.type !== 'finish' || !isFirst) return part
      isFirst = false
      return { type: 'error', error }
    })
    const { agent } = await agentIn(place, [], { model, tools: doing(input => ran.push(input)) })
    await expect(agent.send('Go')).rejects.toSatisfy(reason => String(reason).includes(said))
    expect(ran).toEqual([])
    expect(await agent.send('Again')).toMatchObject({ text: 'Ok.' })
    await agent.end()
    expect(namesIn(place).filter(name => name === 'preToolUse')).toEqual([])
  })
})

describe('a person who stops the turn', () => {
  it('while the model responds ends the stream, and hooks do not receive it as a response', async () => {
    place.audit()
    const text = 'word '.repeat(200)
    const model = scriptedModel([{ text }, { text: 'Yes?' }], { delayMs: 10 })
    const { agent } = await agentIn(place, [], { model })
    const controller = new AbortController()
    let heard = ''
    const turn = await agent.send('Go', {
      signal: controller.signal,
      onPart: part => {
        if (part.type === 'text-delta') heard += part.text
        if (heard.length > 20) controller.abort()
      },
    })
    expect(turn).toMatchObject({ status: 'aborted', text: '' })
    expect(heard.length).toBeLessThan(text.length / 2)
    expect(await agent.send('Hello')).toMatchObject({ text: 'Yes?' })
    await agent.end()
    expect(events('afterAgentResponse').map(each => each.text)).toEqual(['Yes?'])
    expect(events('stop').map(({ status }) => status)).toEqual(['aborted', 'completed'])
  })

  it('does not wait for a tool that does not look at the signal', async () => {
    place.audit()
    let isRunning = false
    const tools = doing(() => {
      isRunning = true
      return new Promise(() => {})
    })
    const { agent } = await agentIn(place, [call('own')], { tools })
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await until(() => isRunning)
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted' })
    await agent.end()
    expect(events('postToolUseFailure')).toMatchObject([{ is_interrupt: true }])
  })

  it('while hooks are asked has stopped the call that they were asked about', async () => {
    place.audit({ preToolUse: [{ command: 'sleep 30' }] })
    const ran: unknown[] = []
    const { agent } = await agentIn(place, [call('own')], { tools: doing(input => ran.push(input)) })
    const controller = new AbortController()
    const turn = agent.send('Go', { signal: controller.signal })
    await until(() => namesIn(place).includes('preToolUse'))
    controller.abort()
    expect(await turn).toMatchObject({ status: 'aborted' })
    await agent.end()
    expect(ran).toEqual([])
    expect(namesIn(place).slice(-3)).toEqual(['postToolUseFailure', 'stop', 'sessionEnd'])
  })
})

describe('a tool', () => {
  const bare: Record<string, unknown> = Object.create(null)
  bare.self = bare

  it.each([
    ['an error', new Error('broken'), 'broken'],
    ['words', 'just words', 'just words'],
    ['nothing', undefined, 'undefined'],
    ['an object without a prototype', bare, 'null prototype'],
  ])('that throws %s has failed', async (_, thrown, said) => {
    place.audit()
    const tools = doing(() => {
      throw thrown
    })
    const { agent, model } = await agentIn(place, [call('own'), { text: 'Ok.' }], { tools })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Ok.' })
    await agent.end()
    expect(events('postToolUseFailure')).toMatchObject([
      { error_message: expect.stringContaining(said), failure_type: 'error', is_interrupt: false },
    ])
    expect(given(model.prompts[1])).toContain(said)
  })

  const huge = 'x'.repeat(4 * 1024 * 1024)
  it.each([
    ['nothing', undefined, '', 'null'],
    ['null', null, 'null', 'null'],
    ['a number too large for JSON', 10n, '10n', '10n'],
    ['something that holds itself', bare, 'Circular', 'Circular'],
    ['a function', () => 1, 'Function', 'Function'],
    ['very much', huge, huge.slice(0, 99), huge.slice(0, 99)],
    ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"', '1970-01-01'],
  ])('that returns %s has returned', async (_, output, told, seen) => {
    place.audit()
    const { agent, model } = await agentIn(place, [call('own'), { text: 'Ok.' }], {
      tools: doing(() => output),
    })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: 'Ok.' })
    await agent.end()
    const [post] = events('postToolUse')
    expect(post!.tool_output).toContain(told)
    expect(given(model.prompts[1]!.at(-1))).toContain(seen)
  })

  it('that yields has returned what it yielded last, when hooks have seen it', async () => {
    place.audit({ postToolUse: [saying({ additional_context: 'Seen.' })] })
    const tools = doing(async function* () {
      yield 'one'
      yield 'two'
    })
    const { agent, model } = await agentIn(place, [call('own'), { text: 'Ok.' }], { tools })
    const shown: unknown[] = []
    await agent.send('Go', {
      onPart: part => {
        if (part.type === 'tool-result') shown.push(part.output)
      },
    })
    await agent.end()
    // What came before, the last value, and that as the result.
    expect(shown).toEqual(['one', 'two', 'two'])
    expect(events('postToolUse')).toMatchObject([{ tool_output: '"two"' }])
    expect(given(model.prompts[1])).toContain('two\\n\\nSeen.')
  })
})

describe('the limit of calls in a row', () => {
  it('ends the turn, and the user is informed', async () => {
    place.audit()
    const notices: string[] = []
    const { agent } = await agentIn(place, [call('LS'), call('LS'), { text: 'Ok.' }], {
      maxSteps: 2,
      onNotice: text => notices.push(text),
    })
    expect(await agent.send('Go')).toMatchObject({ status: 'completed', text: '' })
    expect(notices).toEqual(['The agent was stopped after 2 calls of the model in a row.'])
    expect(await agent.send('Go on')).toMatchObject({ text: 'Ok.' })
    await agent.end()
  })
})

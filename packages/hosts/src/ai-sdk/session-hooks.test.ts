// hookTools and hooksMiddleware with real hooks and the functions of the AI SDK.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HookBlockedError, type Hooks, openHooks } from '@holdfast/hooks'
import { generateText, jsonSchema, stepCountIs, streamText, type ToolSet, tool, wrapLanguageModel } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from './agent/scripted-model.js'
import { hooksMiddleware, hookTools } from './session-hooks.js'

let home: string
let hooks: Hooks
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-session-hooks-'))
  hooks = await openHooks({
    ...{ home, workspaceRoots: [home], enterpriseDir: join(home, 'none') },
    ...{ watch: false, log: { file: null } },
  })
})
afterEach(() => {
  hooks.close()
  rmSync(home, { recursive: true, force: true })
})

const counted: number[] = []
const tools: ToolSet = {
  count: tool({
    inputSchema: jsonSchema<{ to: number }>({ type: 'object' }),
    async *execute({ to }) {
      counted.length = 0
      for (let number = 1; number <= to; number++) {
        counted.push(number)
        yield number
      }
    },
  }),
}
const calling = (to = 3) =>
  scriptedModel([{ text: 'Let me count.', calls: [{ tool: 'count', input: { to } }] }, { text: 'Done.' }])

async function streamed(model = calling()) {
  const session = await hooks.startSession()
  const parts: { type: string; output?: unknown; preliminary?: boolean; error?: unknown }[] = []
  const { fullStream } = streamText({
    model: wrapLanguageModel({ model, middleware: hooksMiddleware(session) }),
    tools: hookTools(tools, session),
    stopWhen: stepCountIs(3),
    prompt: 'Count.',
    onError: () => {},
  })
  for await (const part of fullStream) parts.push(part as (typeof parts)[number])
  await session.end()
  return parts
}

describe('hookTools', () => {
  it('keeps the preliminary results of a generator, and hooks get the last', async () => {
    const outputs: unknown[] = []
    hooks.register({ event: 'postToolUse', run: ({ tool_output }) => void outputs.push(tool_output) })
    const results = (await streamed()).filter(({ type }) => type === 'tool-result')
    expect(results.map(({ output, preliminary }) => [output, preliminary === true])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [3, false],
    ])
    expect(outputs).toEqual(['3'])
  })

  it('shows nothing of a call that is denied, and takes a rewritten input', async () => {
    hooks.register({
      event: 'preToolUse',
      run: ({ tool_input }) => (tool_input.to === 3 ? { permission: 'deny', agent_message: 'No.' } : {}),
    })
    const denied = await streamed()
    expect(denied.some(({ type }) => type === 'tool-result')).toBe(false)
    expect(denied.find(({ type }) => type === 'tool-error')?.error).toMatchObject({
      message: expect.stringContaining('No.'),
    })
    hooks.register({
      event: 'preToolUse',
      run: ({ tool_input }) => (tool_input.to === 2 ? { permission: 'allow', updated_input: { to: 1 } } : {}),
    })
    expect((await streamed(calling(2))).filter(({ type }) => type === 'tool-result').at(-1)?.output).toBe(1)
    expect(counted).toEqual([1])
  })

  it('passes hooks the text of the model before the call', async () => {
    const said: unknown[] = []
    hooks.register({ event: 'preToolUse', run: ({ agent_message }) => void said.push(agent_message) })
    await streamed()
    expect(said).toEqual(['Let me count.'])
  })
})

describe('hooksMiddleware', () => {
  it('reports the responses of the model, and a message of the user once', async () => {
    const seen: unknown[] = []
    hooks.register({ event: 'beforeSubmitPrompt', run: ({ prompt }) => void seen.push(prompt) })
    hooks.register({ event: 'afterAgentResponse', run: ({ text }) => void seen.push(text) })
    await streamed()
    expect(seen).toEqual(['Count.', 'Let me count.', 'Done.'])
  })

  it('stops a message, and adds the context of the session', async () => {
    hooks.register({
      event: 'beforeSubmitPrompt',
      run: ({ prompt }) => (prompt === 'secret' ? { continue: false, user_message: 'Not that.' } : {}),
    })
    hooks.register({ event: 'sessionStart', run: () => ({ additional_context: 'The moon is full.' }) })
    const session = await hooks.startSession()
    const model = scriptedModel([{ text: 'Hello.' }])
    const wrapped = wrapLanguageModel({ model, middleware: hooksMiddleware(session) })
    const blocked = await generateText({ model: wrapped, prompt: 'secret' }).catch((error: Error) => error)
    expect(HookBlockedError.isInstance(blocked)).toBe(true)
    expect(model.prompts).toEqual([])
    await generateText({ model: wrapped, prompt: 'Hi' })
    expect(model.prompts[0]).toMatchObject([
      { role: 'system', content: 'The moon is full.' },
      { role: 'user' },
    ])
  })
})

// The gateway between a real client and real servers, all of them separate processes. Where the server does not
// matter it is one that starts quickly.

import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { EVERYTHING, FILES, openPlace, type Place, RECORD, SCRIPTED } from '../fixtures/mcp/place.js'

const places: Place[] = []
const place = (hooks: Record<string, object[]> = {}) => {
  const opened = openPlace(hooks)
  places.push(opened)
  return opened
}
afterEach(async () => {
  await Promise.all(places.splice(0).map(each => each.close()))
})

const words = (result: object): string[] =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text)
const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`

describe('a call', () => {
  it('that is denied never reaches the server, and the model reads why', async () => {
    const { connect, gateway, folder, script, read, events } = place({
      beforeMCPExecution: [{ command: './deny.sh', matcher: 'write' }],
      postToolUseFailure: [{ command: RECORD }],
    })
    script('deny.sh', answers({ permission: 'deny', user_message: 'no', agent_message: 'Read only here.' }))
    const client = await connect(gateway([...FILES, folder], ['--name', 'files']))
    const write = (path: string) => client.callTool({ name: 'write_file', arguments: { path, content: 'x' } })

    const denied = await write(`${folder}/must-not-exist`)
    expect(denied).toEqual({
      content: [{ type: 'text', text: 'The MCP tool call was rejected by a hook: Read only here.' }],
      isError: true,
    })
    expect(read('must-not-exist')).toBe('')
    // The denial is delivered first; hooks of the failure run afterwards.
    await expect
      .poll(events)
      .toMatchObject([
        { tool_name: 'MCP:write_file', tool_input: { content: 'x' }, failure_type: 'permission_denied' },
      ])
    const made = await client.callTool({ name: 'create_directory', arguments: { path: `${folder}/made` } })
    expect(made.isError).not.toBe(true)
  })

  it('fires every event, in order, with the fields of the table', async () => {
    const names = [
      'sessionStart',
      'preToolUse',
      'beforeMCPExecution',
      'afterMCPExecution',
      'postToolUse',
      'sessionEnd',
    ]
    const here = place(Object.fromEntries(names.map(name => [name, [{ command: RECORD }]])))
    const client = await here.connect(here.gateway(EVERYTHING))
    await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
    await client.close()
    const other = await here.connect(here.gateway(SCRIPTED, ['--name', 'mine']))
    await other.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
    await other.close()

    const events = here.events()
    const first = events.slice(0, names.length)
    expect(first.map(event => event.hook_event_name)).toEqual(names)
    expect(new Set(first.map(event => event.conversation_id)).size).toBe(1)
    expect(new Set(events.map(event => event.conversation_id)).size).toBe(2)
    const result = '{"content":[{"type":"text","text":"The sum of 1 and 2 is 3."}]}'
    const own = { mcp_server_name: 'mcp-servers/everything' }
    const generic = { tool_name: 'MCP:get-sum', tool_input: { a: 1, b: 2 }, cwd: here.folder }
    expect(first[1]).toMatchObject({ ...generic, tool_use_id: expect.stringMatching(/^\d+$/) })
    expect(first[2]).toMatchObject({
      tool_name: 'get-sum',
      tool_input: '{"a":1,"b":2}',
      ...own,
      command: EVERYTHING.join(' '),
    })
    expect(first[2]).not.toHaveProperty('url')
    expect(first[3]).toMatchObject({
      tool_name: 'get-sum',
      tool_input: '{"a":1,"b":2}',
      ...own,
      result_json: result,
    })
    expect(first[4]).toMatchObject({ ...generic, tool_output: result, tool_use_id: first[1]!.tool_use_id })
    expect(first[5]).toMatchObject({ reason: 'completed' })
    expect(events[8]).toMatchObject({ hook_event_name: 'beforeMCPExecution', mcp_server_name: 'mine' })
  })

  it('takes the input that hooks changed, which the next event sees; a hook that fails denies it', async () => {
    const { connect, gateway, script, events } = place({
      preToolUse: [{ command: './change.sh', matcher: '^MCP:echo$' }],
      beforeMCPExecution: [{ command: RECORD }, { command: './not-there.sh', matcher: 'get-sum' }],
    })
    script('change.sh', answers({ permission: 'allow', updated_input: { message: 'changed' } }))
    const client = await connect(gateway(EVERYTHING))
    const echo = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    expect(words(echo)).toEqual(['Echo: changed'])
    expect(events()[0]!.tool_input).toBe('{"message":"changed"}')
    const sum = await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
    expect(sum.isError).toBe(true)
    expect(words(sum)[0]).toContain('rejected by a hook')
  })

  it('gives the output and the context that hooks want', async () => {
    const { connect, gateway, script } = place({
      sessionStart: [{ command: './context.sh' }],
      postToolUse: [
        { command: './redact.sh', matcher: 'echo' },
        { command: './context.sh', matcher: 'sum' },
      ],
      postToolUseFailure: [{ command: './context.sh' }],
    })
    script(
      'redact.sh',
      answers({ updated_mcp_tool_output: { content: [{ type: 'text', text: '[redacted]' }] } }),
    )
    script('context.sh', answers({ additional_context: 'The moon is full.' }))
    const client = await connect(gateway(EVERYTHING))
    expect(client.getInstructions()).toMatch(/Server Instructions\n[\s\S]+\n\nThe moon is full\.$/)
    expect(words(await client.callTool({ name: 'echo', arguments: { message: 'secret' } }))).toEqual([
      '[redacted]',
    ])
    const sum = await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
    expect(words(sum)).toEqual(['The sum of 1 and 2 is 3.', 'The moon is full.'])
    const failed = await client.callTool({ name: 'get-sum', arguments: { a: 'one' } })
    expect(failed.isError).toBe(true)
    expect(words(failed).at(-1)).toBe('The moon is full.')
  })

  it('of a session that hooks blocked is never made', async () => {
    const { connect, gateway, script } = place({ sessionStart: [{ command: './stop.sh' }] })
    script('stop.sh', answers({ continue: false, user_message: 'Not on Sundays.' }))
    await expect(connect(gateway(SCRIPTED))).rejects.toThrow(
      'The session was blocked by a hook: Not on Sundays.',
    )
  })
})

describe('a question', () => {
  const asking = { beforeMCPExecution: [{ command: './ask.sh' }] }
  const ask = answers({ permission: 'ask', user_message: 'May it echo?' })

  it('goes to the client, and only a clear yes is one', async () => {
    const { connect, gateway, script } = place(asking)
    script('ask.sh', ask)
    const client = await connect(gateway(EVERYTHING), { capabilities: { elicitation: {} } })
    const questions: string[] = []
    let answer: object = {}
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      questions.push(params.message)
      return answer as never
    })
    const said = async (given: object) => {
      answer = given
      return words(await client.callTool({ name: 'echo', arguments: { message: 'hi' } }))[0]
    }
    expect(await said({ action: 'accept', content: { allow: true } })).toBe('Echo: hi')
    const no = expect.stringContaining('The user did not approve this.')
    expect(await said({ action: 'accept', content: { allow: false } })).toEqual(no)
    expect(await said({ action: 'decline' })).toEqual(no)
    expect(await said({ action: 'cancel' })).toEqual(no)
    expect(questions).toEqual(Array(4).fill('May it echo?\n\necho {"message":"hi"}'))
  })

  it('is a deny where nobody can be asked', async () => {
    const { connect, gateway, script } = place(asking)
    script('ask.sh', ask)
    const client = await connect(gateway(SCRIPTED))
    const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } })
    expect(result.isError).toBe(true)
    expect(words(result)[0]).toContain('this client cannot ask the user')
  })
})

describe('cancelling', () => {
  it('reaches a call that hooks still judge, and nothing is sent on', async () => {
    const { connect, gateway, script, read, events } = place({
      preToolUse: [{ command: './slow.sh' }],
      postToolUseFailure: [{ command: RECORD }],
    })
    script('slow.sh', 'echo yes > begun; sleep 5')
    const client = await connect(gateway(['sh', '-c', `exec tee sent | "$0" "$@"`, ...EVERYTHING]))
    const stop = new AbortController()
    const call = client.callTool({ name: 'echo', arguments: { message: 'hi' } }, undefined, {
      signal: stop.signal,
    })
    await expect.poll(() => read('begun')).toBe('yes\n')
    stop.abort('enough')
    await expect(call).rejects.toThrow()
    expect(await client.ping()).toEqual({})
    await expect.poll(() => events().length).toBe(1)
    expect(events()[0]).toMatchObject({ is_interrupt: true, error_message: 'enough', tool_name: 'MCP:echo' })
    expect(read('sent')).toContain('"ping"')
    expect(read('sent')).not.toMatch(/tools\/call|cancelled/)
  })

  it('reaches the server when the call is there', async () => {
    const { connect, gateway, read } = place()
    const client = await connect(gateway(['sh', '-c', `exec tee sent | "$0" "$@"`, ...EVERYTHING]))
    const stop = new AbortController()
    const long = { name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 20 } }
    const call = client.callTool(long, undefined, {
      signal: stop.signal,
      onprogress: () => stop.abort('enough'),
    })
    await expect(call).rejects.toThrow()
    await client.ping()
    expect(read('sent')).toContain('notifications/cancelled')
  })
})

describe('all else', () => {
  it('is the same with the gateway and without', async () => {
    const here = place({ preToolUse: [{ command: 'true' }], postToolUse: [{ command: 'true' }] })
    const [direct, through] = await Promise.all([
      observe(here, EVERYTHING),
      observe(here, here.gateway(EVERYTHING)),
    ])
    expect(through).toEqual(direct)
    expect(JSON.stringify(direct).length).toBeGreaterThan(5000)
  })
})

/** Everything that a client can do with a server, and everything that a server can ask of a client. */
async function observe(here: Place, command: readonly string[]) {
  const client = await here.connect(command, {
    capabilities: { sampling: {}, roots: { listChanged: true }, elicitation: {} },
  })
  const heard: unknown[] = []
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => {
    heard.push(params)
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'sampled' } }
  })
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: 'file:///project', name: 'project' }],
  }))
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    heard.push(params)
    return { action: 'accept', content: { name: 'Ada', check: true } }
  })
  client.setNotificationHandler(LoggingMessageNotificationSchema, () => {})
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => {})
  const progress: unknown[] = []
  // Not by onprogress: the client drops notifications that arrive together with the result.
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
    progress.push(params)
  })
  const call = (name: string, args: object = {}) => client.callTool({ name, arguments: args as never })
  const { tools } = await client.listTools()
  const resources = await client.listResources()
  const results = [
    client.getServerVersion(),
    client.getServerCapabilities(),
    client.getInstructions(),
    tools,
    resources,
    await client.listResourceTemplates(),
    await client.readResource({ uri: resources.resources[0]!.uri }),
    await client.listPrompts(),
    await client.getPrompt({ name: 'args-prompt', arguments: { city: 'Paris' } }),
    await client.complete({
      ref: { type: 'ref/prompt', name: 'completable-prompt' },
      argument: { name: 'department', value: 'E' },
    }),
    await client.ping(),
    await client.setLoggingLevel('error'),
    await client.subscribeResource({ uri: resources.resources[0]!.uri }),
    await call('echo', { message: 'ü€𝄞 \u2028 "quoted"' }),
    await call('get-structured-content', { location: 'New York' }),
    await call('get-tiny-image'),
    await call('get-annotated-message', { messageType: 'error', includeImage: true }),
    await call('trigger-sampling-request', { prompt: 'hi', maxTokens: 5 }),
    await call('trigger-elicitation-request'),
    await client.callTool(
      { name: 'trigger-long-running-operation', arguments: { duration: 0.2, steps: 4 } },
      undefined,
      { onprogress: () => {} },
    ),
    await call('no-such-tool').catch((error: Error) => error.message),
    await client
      .request({ method: 'no/such/method' } as never, {} as never)
      .catch((error: Error) => error.message),
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(a => call('get-sum', { a, b: a }))),
  ]
  await client.close()
  expect(progress).toHaveLength(4)
  return { results, heard, progress }
}

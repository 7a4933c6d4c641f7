// The gateway byte by byte: unrelated messages pass unchanged, and every possible call passes the hooks.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Json, openPlace, type Place, RECORD, SCRIPTED, type Wire } from '../fixtures/mcp/place.js'
import { runsEverything } from '../scope.js'

const places: Place[] = []
const place = (hooks: Record<string, object[]> = {}) => {
  const opened = openPlace(hooks)
  places.push(opened)
  return opened
}
afterEach(async () => {
  await Promise.all(places.splice(0).map(each => each.close()))
})

const answers = (answer: object) => `cat >/dev/null; echo '${JSON.stringify(answer)}'`
const call = (id: unknown, name: string, args?: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, ...(args ? { arguments: args } : {}) },
})
/** A workspace whose hooks deny every tool that begins with "no". */
const guarded = (more: Record<string, object[]> = {}, open = place) => {
  const here = open({ preToolUse: [{ command: './deny.sh', matcher: '^MCP:no' }], ...more })
  here.script('deny.sh', answers({ permission: 'deny', user_message: 'No.' }))
  return here
}

describe('lines', () => {
  it('pass in both directions as they came', async () => {
    const here = place({ postToolUse: [{ command: 'true' }] })
    const wire = here.wire(['sh', '-c', 'tee wire.bin'])
    const lines = [
      '{"jsonrpc": "2.0",  "method":"x", "id": 12345678901234567890, "params":{"n":1.10,"big":9007199254740993}}',
      '{"method":"\\u0070ing","id":"\\u0061"}\r',
      '',
      '   ',
      'not json {',
      '"text"',
      '[]',
      '[1, {"method":"y"},   null]',
      '{"result":{"deep":[[[[1e400]]]]},"id":null}',
      '{"unknown":{"field":true},"method":"resources/read","params":{"uri":"ü€𝄞"}}',
    ]
    for (const line of lines) {
      wire.send(line)
      expect(await wire.line()).toBe(line)
    }
    // A call is not rewritten either, and comes back unchanged.
    const odd =
      '{"params" : {"arguments":{"n":1.0,"z":12345678901234567890 }, "_meta":{"progressToken":7.0},"name":"t"}, "method":"tools\\/call","id":1.0 }'
    wire.send(odd)
    expect(await wire.line()).toBe(odd)
    wire.child.stdin.end('{"method":"without a newline"}')
    await wire.ended
    expect(here.read('wire.bin')).toBe(`${[...lines, odd].join('\n')}\n{"method":"without a newline"}`)
  })

  it('may come in pieces, and be of any size', { timeout: 120_000 }, async () => {
    const here = guarded()
    const wire = here.wire()
    const text = `${JSON.stringify(call(1, 'yes', { word: 'ü€𝄞', answer: '{"content":[1]}' }))}\n`
    for (const byte of Buffer.from(text)) {
      wire.child.stdin.write(Buffer.of(byte))
      if (byte % 7 === 0) await new Promise(resolve => setImmediate(resolve))
    }
    expect(await wire.json()).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [1] } })
    const size = (runsEverything ? 50 : 8) * 1024 * 1024
    wire.send({ id: 2, method: 'big', params: { size } })
    expect((await wire.line()).length).toBeGreaterThan(size)
    wire.send(call(3, 'yes', { word: 'x'.repeat(size), answer: '{"content":[3]}' }))
    expect(await wire.json()).toMatchObject({ id: 3, result: { content: [3] } })
    wire.send(call(4, 'no', { word: 'x'.repeat(size) }))
    expect(await wire.json()).toMatchObject({ id: 4, result: { isError: true } })
    expect(statSync(here.file('wire.bin')).size).toBeLessThan(size * 1.1)
  })

  it('wait while nobody reads', async () => {
    const here = place()
    const wire = here.wire()
    wire.child.stdout.pause()
    const count = 60_000
    wire.send({ id: 1, method: 'flood', params: { count } })
    await new Promise(resolve => setTimeout(resolve, 800))
    const memory = Number(
      execFileSync('ps', ['-o', 'rss=', '-p', String(wire.child.pid)], { encoding: 'utf8' }),
    )
    expect(memory).toBeGreaterThan(10_000)
    expect(memory).toBeLessThan(200_000)
    let lines = 0
    const all = new Promise<void>(resolve => {
      wire.child.stdout.on('data', (chunk: Buffer) => {
        for (const byte of chunk) if (byte === 10) lines++
        if (lines === count + 1) resolve()
      })
    })
    wire.child.stdout.resume()
    await all
  })
})

describe('what may be a call', () => {
  let here: Place
  let wire: Wire
  beforeAll(() => {
    here = guarded({}, openPlace)
    wire = here.wire()
  })
  afterAll(() => here.close())

  it.each([
    ['escaped', '{"id":1,"\\u006dethod":"tools\\u002fcall","params":{"name":"no"}}'],
    ['with null for its arguments', '{"id":1,"method":"tools/call","params":{"name":"no","arguments":null}}'],
    [
      'with its name last',
      '{"id":1,"params":{"arguments":{"name":"yes"},"name":"n\\u006f"},"method":"tools/call"}',
    ],
  ])('%s, is denied', async (_, text) => {
    wire.send(text)
    expect(await wire.json()).toMatchObject({ id: 1, result: { isError: true } })
    expect(here.read('wire.bin')).toBe('')
  })

  it('and cannot be read in one way only, is not passed on', async () => {
    const refused: [string, number][] = [
      ['{"id":1,"method":"tools/call","params":{"name":"no","arguments":{"n":NaN}}}', -32700],
      ['{"id":1,"method":"tools/\\u0063all","params":{"name":"no"},}', -32700],
      ['{"id":1,"method":"ping"}\r{"id":2,"method":"tools/call","params":{"name":"no"}}', -32700],
      ['\ufeff{"id":1,"method":"tools/call","params":{"name":"no"}}', -32700],
      ['{"id":1,"method":"tools/call","method":"ping","params":{"name":"no"}}', -32600],
      ['[{"id":1,"method":"ping","params":{"name":"no"},"method":"tools/call"}]', -32600],
      ['{"id":1,"method":"tools/call","params":{"name":"no","name":"yes"}}', -32602],
      ['{"id":1,"method":"tools/call","params":{"name":"yes","arguments":{},"arguments":{"a":1}}}', -32602],
      ['{"id":1,"method":"tools/call","params":{"name":["no"]}}', -32602],
      ['{"id":1,"method":"tools/call","params":["no"]}', -32602],
      ['{"id":1,"method":"tools/call"}', -32602],
      ['{"id":1,"method":"tools/call","params":{"name":"yes","arguments":"rm"}}', -32602],
    ]
    for (const [text, code] of refused) {
      wire.send(text)
      expect([text, (await wire.json()).error.code]).toEqual([text, code])
    }
    expect(here.read('wire.bin')).toBe('')
  })

  it('is denied with the request id unchanged, whatever the type of the id', async () => {
    for (const id of ['7', '"7"', '"ü\\u0061"', '-1', '12345678901234567890', '1.5']) {
      wire.send(`{"id":${id},"method":"tools/call","params":{"name":"no"}}`)
      expect(await wire.line()).toContain(`"id":${id},"result"`)
    }
    expect(here.read('wire.bin')).toBe('')
  })

  // Must be the last: its message reaches the shared server.
  it('is decided even if it asks for no answer', async () => {
    wire.send(
      { method: 'tools/call', params: { name: 'no' } },
      { method: 'tools/call', params: { name: 'yes' } },
    )
    await vi.waitFor(() => expect(here.read('wire.bin')).toMatch(/"yes"/), { timeout: 30_000 })
    // A later call that the same hook denies, and a request to the server: the first call is decided by then.
    wire.send(call(8, 'no'))
    expect(await wire.json()).toMatchObject({ id: 8, result: { isError: true } })
    wire.send({ id: 9, method: 'big', params: { size: 1 } })
    expect(await wire.json()).toMatchObject({ id: 9 })
    expect(here.read('wire.bin')).not.toMatch(/"no"/)
  })
})

describe('ids', () => {
  it('that are in use are refused', async () => {
    const here = place()
    const wire = here.wire()
    wire.send(call(1, 'slow', { afterMs: 300 }), call(1, 'other'), call('1', 'quick'))
    expect(await wire.json()).toMatchObject({ id: 1, error: { code: -32600 } })
    expect(await wire.json()).toMatchObject({ id: '1', result: {} })
    expect(await wire.json()).toMatchObject({ id: 1, result: {} })
    wire.send(call(1, 'again'))
    expect(await wire.json()).toMatchObject({ id: 1, result: {} })
  })

  it('belong to their calls, whatever the order of answers', async () => {
    const here = place({ postToolUse: [{ command: './context.sh' }] })
    here.script('context.sh', `sed 's/.*"tool_use_id":"\\([^"]*\\)".*/{"additional_context":"for \\1"}/'`)
    const wire = here.wire()
    const count = 12
    for (let id = 0; id < count; id++) {
      wire.send(
        call(id, 't', { afterMs: (count - id) * 10, answer: `{"content":[{"type":"text","text":"${id}"}]}` }),
      )
    }
    const got = await Promise.all(Array.from({ length: count }, () => wire.json()))
    expect(got.map(({ id }) => id)).not.toEqual(got.map((_, index) => index))
    for (const { id, result } of got) {
      expect(result.content.map(({ text }: { text: string }) => text)).toEqual([String(id), `for ${id}`])
    }
  })
})

describe('what hooks change', () => {
  it('is all that changes', async () => {
    const here = place({ preToolUse: [{ command: './input.sh' }], postToolUse: [{ command: './output.sh' }] })
    here.script('input.sh', answers({ updated_input: { b: 'new', c: 3 } }))
    here.script('output.sh', answers({ additional_context: 'more' }))
    const wire = here.wire()
    wire.send(
      '{"params":{"_meta":{"progressToken":12345678901234567890},"arguments":{ "a":1.10, "b" : "old", "answer":"{\\"n\\":1.10, \\"content\\": [ {\\"x\\":9007199254740993} ] }"},"name":"t"},"method":"tools/call","id":1}',
    )
    expect(await wire.line()).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"n":1.10, "content": [ {"x":9007199254740993},{"type":"text","text":"more"} ] }}',
    )
    expect(here.read('wire.bin')).toContain(
      '"_meta":{"progressToken":12345678901234567890},"arguments":{"c":3, "a":1.10, "b" : "new", "answer"',
    )
  })

  it('gives a tool without arguments some', async () => {
    const here = place({ preToolUse: [{ command: './input.sh' }] })
    here.script('input.sh', answers({ updated_input: { answer: '{"content":["given"]}' } }))
    const wire = here.wire()
    wire.send('{"id":1,"method":"tools/call","params":{"name":"t"}}')
    expect(await wire.json()).toMatchObject({ result: { content: ['given'] } })
    wire.send('{"id":2,"method":"tools/call","params":{"name":"t","arguments":null}}')
    expect(await wire.json()).toMatchObject({ result: { content: ['given'] } })
  })

  it('in an output replaces all of it', async () => {
    const here = place({
      postToolUse: [{ command: './output.sh' }],
      postToolUseFailure: [{ command: './why.sh' }],
    })
    here.script('output.sh', answers({ updated_mcp_tool_output: { safe: true } }))
    here.script('why.sh', answers({ additional_context: 'It is Sunday.' }))
    const wire = here.wire()
    wire.send(
      call(1, 't', {
        answer: '{"content":[{"text":"secret"}],"structuredContent":{"secret":1},"_meta":{"s":1}}',
      }),
    )
    expect((await wire.json()).result).toEqual({
      content: [{ type: 'text', text: '{"safe":true}' }],
      structuredContent: { safe: true },
    })
    wire.send(call(2, 't', { error: '{"code":-1,"message":"oh","data":[1]}' }))
    expect((await wire.json()).error).toEqual({ code: -1, message: 'oh\n\nIt is Sunday.', data: [1] })
    wire.send(call(3, 't', { answer: '{"isError":true,"content":[{"type":"text","text":"bad"}]}' }))
    expect((await wire.json()).result.content).toEqual([
      { type: 'text', text: 'bad' },
      { type: 'text', text: 'It is Sunday.' },
    ])
  })

  it('holds for the result of a task, which is fetched later', async () => {
    const here = place({ postToolUse: [{ command: './output.sh' }, { command: RECORD }] })
    here.script('output.sh', answers({ updated_mcp_tool_output: { content: ['clean'] } }))
    const wire = here.wire()
    const begin = call(1, 't', { answer: '{"task":{"taskId":"T","status":"working"}}' })
    wire.send({ ...begin, params: { ...begin.params, task: { ttl: 1000 } } })
    expect(await wire.json()).toMatchObject({ result: { task: { taskId: 'T' } } })
    expect(here.events()).toEqual([])
    wire.send({ id: 2, method: 'tasks/result', params: { taskId: 'T', answer: { content: ['secret'] } } })
    expect(await wire.json()).toEqual({ jsonrpc: '2.0', id: 2, result: { content: ['clean'] } })
    expect(here.events()).toMatchObject([{ tool_name: 'MCP:t', tool_use_id: '1' }])
    // Of an earlier connection.
    wire.send({ id: 3, method: 'tasks/result', params: { taskId: 'other', answer: { content: ['secret'] } } })
    expect(await wire.json()).toMatchObject({ result: { content: ['clean'] } })
  })
})

describe('batches', () => {
  const byId = (batch: Json[]) => Object.fromEntries(batch.map(one => [one.id, one.result?.isError === true]))

  it('are weighed call by call and answered as one', async () => {
    const here = guarded({ postToolUse: [{ command: 'true' }] })
    const wire = here.wire()
    wire.send([call(1, 'no'), call(2, 'yes'), { id: 3, method: 'big', params: { size: 1 } }, { method: 'n' }])
    expect(byId((await wire.json()) as Json[])).toEqual({ 1: true, 2: false, 3: false })
    expect(JSON.parse(here.read('wire.bin')).map((one: Json) => one.id ?? one.method)).toEqual([2, 3, 'n'])
    wire.send([call(4, 'no'), call(5, 'no')])
    expect(byId((await wire.json()) as Json[])).toEqual({ 4: true, 5: true })
    wire.send([call(6, 'no'), { method: 'n' }])
    expect(byId((await wire.json()) as Json[])).toEqual({ 6: true })
  })

  it('that hooks leave alone keep their bytes', async () => {
    const here = guarded()
    const wire = here.wire(['sh', '-c', 'tee wire.bin'])
    const line =
      '[ {"id":1,"method":"tools/call","params":{"name":"yes","arguments":{"n":1.10}}} , {"id":2,"method":"p"} ]'
    wire.send(line)
    expect(await wire.line()).toBe(line)
  })
})

describe('the end', () => {
  it('of the server ends the pending calls, and its exit code and stderr are ours', async () => {
    const names = ['postToolUseFailure', 'sessionEnd']
    const here = place(Object.fromEntries(names.map(name => [name, [{ command: RECORD }]])))
    const wire = here.wire()
    wire.send(call(1, 'lost', { answer: null }), call(2, 'last', { exit: 42 }))
    const got = [await wire.json(), await wire.json()]
    const gone = { code: -32000, message: 'The MCP server ended with exit code 42.' }
    expect(got.map(({ id, error }) => ({ id, error }))).toEqual([
      { id: 1, error: gone },
      { id: 2, error: gone },
    ])
    expect(await wire.ended).toEqual({ code: 42, signal: null })
    expect(wire.stderr()).toContain('the server says goodbye')
    expect(here.events().map(event => event.hook_event_name)).toEqual([...names.slice(0, 1), ...names])
    expect(here.events().at(-1)).toMatchObject({ reason: 'error', error_message: gone.message })
  })

  it('of a server that a signal ended is 128 and the signal', async () => {
    const wire = place().wire(['sh', '-c', 'kill -9 $$'])
    expect(await wire.ended).toEqual({ code: 137, signal: null })
  })

  it('of the client ends the server with all that it started', async () => {
    const here = place()
    here.script(
      'stubborn.sh',
      'trap "" TERM\necho $$ > pids\n(trap "" TERM; exec sleep 60) &\necho $! >> pids\nwait',
    )
    const wire = here.wire(['./stubborn.sh'])
    await expect.poll(() => here.read('pids').split('\n').length, { timeout: 5000 }).toBe(3)
    wire.child.stdin.end()
    // Nothing of it ends by itself before the test times out.
    expect(await wire.ended).toEqual({ code: 0, signal: null })
    for (const pid of here.read('pids').trim().split('\n')) expect(isAlive(pid)).toBe(false)
  })

  it('of the client finds calls that are under way, and lets them finish', async () => {
    const here = place({ preToolUse: [{ command: 'sleep 0.2' }] })
    const wire = here.wire()
    wire.send(call(1, 't', { afterMs: 100 }))
    wire.child.stdin.end()
    expect(await wire.json()).toMatchObject({ id: 1, result: {} })
    expect(await wire.ended).toEqual({ code: 0, signal: null })
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s leaves nothing behind', async (signal, code) => {
    const here = place({ preToolUse: [{ command: './slow.sh' }], sessionEnd: [{ command: RECORD }] })
    here.script('slow.sh', 'echo $$ > hook; exec sleep 60')
    const wire = here.wire(['sh', '-c', 'echo $$ > server; exec "$0" "$@"', ...SCRIPTED])
    wire.send(call(1, 't'))
    await expect.poll(() => here.read('hook'), { timeout: 5000 }).not.toBe('')
    wire.child.kill(signal)
    expect(await wire.ended).toEqual({ code, signal: null })
    for (const name of ['hook', 'server']) expect(isAlive(here.read(name).trim())).toBe(false)
    expect(here.events()).toMatchObject([{ reason: 'aborted' }])
  })

  it('by SIGTERM does not wait for a client that does not read', async () => {
    const wire = place().wire()
    wire.child.stdout.pause()
    wire.send({ id: 1, method: 'flood', params: { count: 5000 } })
    await expect.poll(() => wire.child.stdout.readableLength, { timeout: 30_000 }).toBeGreaterThan(0)
    wire.child.kill('SIGTERM')
    const exit = await new Promise(resolve => wire.child.once('exit', resolve))
    expect(exit).toBe(143)
    wire.child.stdout.resume()
  })

  it('of who reads is the end of the client', async () => {
    const here = place()
    const wire = here.wire()
    wire.send(call(1, 't'))
    await wire.line()
    wire.child.stdout.destroy()
    wire.send(call(2, 't'))
    expect((await wire.ended).code).toBe(0)
  })
})

describe('a required source', () => {
  it('that is not there denies every call', async () => {
    const here = place()
    const wire = here.wire(SCRIPTED, ['--required', 'enterprise'])
    wire.send(call(1, 't'))
    expect(await wire.json()).toMatchObject({ id: 1, result: { isError: true } })
    expect(existsSync(here.file('wire.bin'))).toBe(false)
  })
})

describe('hooks', () => {
  it('that change while it runs are seen', async () => {
    const here = place()
    const wire = here.wire()
    wire.send(call(1, 't'))
    expect((await wire.json()).result.isError).toBeUndefined()
    here.script('deny.sh', answers({ permission: 'deny' }))
    const text = JSON.stringify({ version: 1, hooks: { beforeMCPExecution: [{ command: './deny.sh' }] } })
    execFileSync('sh', ['-c', 'printf %s "$0" > new && mv new .cursor/hooks.json', text], {
      cwd: here.folder,
    })
    let id = 1
    const isDenied = async () => {
      wire.send(call(++id, 't'))
      return (await wire.json()).result.isError === true
    }
    await expect.poll(isDenied, { timeout: 4000 }).toBe(true)
  })
})

/** A zombie process counts as ended. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.includes('Z')
}

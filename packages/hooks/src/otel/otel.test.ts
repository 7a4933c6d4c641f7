// Tracing with the real SDK of OpenTelemetry: an exporter in memory, and OTLP over HTTP to a receiver on loopback.

import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Workspace } from '../../../../tests/fixtures/workspace.js'
import { ATTRIBUTES } from './attributes.js'
import { traceHooks } from './index.js'

const shell = 'beforeShellExecution' as const
const SECRET = 'AKIAIOSFODNN7EXAMPLE'

let space: Workspace
let memory: InMemorySpanExporter
let provider: NodeTracerProvider

function register(exporter: SpanExporter): NodeTracerProvider {
  const registered = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  registered.register()
  return registered
}

async function unregister(): Promise<void> {
  await provider.shutdown()
  for (const api of [trace, context, propagation]) api.disable()
}

beforeEach(() => {
  space = new Workspace()
  memory = new InMemorySpanExporter()
  provider = register(memory)
})

afterEach(async () => {
  space.close()
  await unregister()
})

const spans = () => memory.getFinishedSpans()
const named = (start: string) => spans().filter(({ name }) => name.startsWith(start))
const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId
const idOf = (span: ReadableSpan | undefined) => span?.spanContext().spanId
const msOf = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6
const tracer = () => trace.getTracer('host')

describe('traced hooks', () => {
  it('make one span for the event and one for each run, below the span that is active at the call', async () => {
    space.user({ [shell]: [{ command: 'sleep 0.05' }, { command: 'true', matcher: 'nothing like it' }] })
    const hooks = await space.open()
    hooks.register({ event: shell, name: 'guard', run: () => ({ permission: 'deny' }) })
    traceHooks(hooks)
    const session = hooks.resumeSession({ conversationId: 'conversation-1' })

    const call = await tracer().startActiveSpan('call', async span => {
      await new Promise(resolve => setTimeout(resolve, 1))
      const fired = session.fire(shell, { command: 'ls' })
      // A span that becomes active after the call is not its parent.
      await tracer().startActiveSpan('other', async other => {
        await fired
        other.end()
      })
      span.end()
      return span
    })

    const [event] = named('hooks ')
    expect(spans().filter(span => span !== event && span.name.startsWith('hooks '))).toEqual([])
    expect(event).toMatchObject({
      name: `hooks ${shell}`,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'gen_ai.conversation.id': 'conversation-1',
        'holdfast.event': shell,
        'holdfast.profile': 'holdfast',
        'holdfast.decision': 'deny',
        'holdfast.runs': 2,
        'holdfast.skipped': 1,
        'holdfast.skipped.reasons': ['matcher'],
        'holdfast.rounds': 1,
      },
    })
    expect(parentOf(event!)).toBe(call.spanContext().spanId)
    const runs = named('hook ')
    expect(runs.map(parentOf)).toEqual([idOf(event), idOf(event)])
    const [command, guard] = ['command', 'function'].map(type => runs.find(({ name }) => name.endsWith(type)))
    expect(command!.attributes).toMatchObject({
      'holdfast.hook.source': 'user',
      'holdfast.hook.mode': 'enforce',
      'holdfast.outcome': 'silent',
      'holdfast.decision': 'none',
      'process.exit.code': 0,
      'code.file.path': expect.stringContaining('hooks.json'),
      'code.line.number': expect.any(Number),
    })
    expect(guard!.attributes).toMatchObject({ 'holdfast.hook.name': 'guard', 'holdfast.decision': 'deny' })

    // Real times: the command took as long as it slept, and the function did not wait for it.
    expect(msOf(command!.duration)).toBeGreaterThanOrEqual(50)
    expect(msOf(guard!.endTime)).toBeLessThan(msOf(command!.endTime))
    for (const run of runs) {
      expect(msOf(run.startTime)).toBeGreaterThanOrEqual(msOf(event!.startTime))
      expect(msOf(run.endTime)).toBeLessThanOrEqual(msOf(event!.endTime))
    }
  })

  it('name the tool', async () => {
    const hooks = await space.open()
    traceHooks(hooks)
    await hooks.fire('preToolUse', { tool_name: 'Write', tool_input: {}, tool_use_id: 'call-1' })
    expect(named('hooks ')[0]!.attributes).toMatchObject({
      'gen_ai.tool.name': 'Write',
      'gen_ai.tool.call.id': 'call-1',
      'holdfast.decision': 'none',
      'holdfast.runs': 0,
    })
  })

  it('are roots without an active span', async () => {
    const hooks = await space.open()
    traceHooks(hooks)
    await hooks.fire(shell, { command: 'ls' })
    expect(spans().map(parentOf)).toEqual([undefined])
  })

  it('run functions and models inside the span of their run', async () => {
    const inner = (name: string) => tracer().startActiveSpan(name, span => span.end())
    const hooks = await space.open({
      evaluatePrompt: async () => {
        await new Promise(resolve => setTimeout(resolve, 1))
        inner('model')
        return { ok: true }
      },
    })
    traceHooks(hooks)
    hooks.register({ event: shell, type: 'prompt', prompt: 'Is it safe?' })
    hooks.register({
      event: shell,
      run: async () => {
        await new Promise(resolve => setTimeout(resolve, 1))
        inner('function')
      },
    })
    await hooks.fire(shell, { command: 'ls' })
    const runOf = (type: string) => spans().find(({ name }) => name === `hook user ${type}`)
    expect(parentOf(named('model')[0]!)).toBe(idOf(runOf('prompt')))
    expect(parentOf(named('function')[0]!)).toBe(idOf(runOf('function')))
  })

  it('have a span for each round', async () => {
    const hooks = await space.open()
    traceHooks(hooks)
    hooks.register({ event: 'preToolUse', name: 'judge', run: () => ({}) })
    hooks.register({ event: 'preToolUse', name: 'author', run: () => ({ updated_input: { a: 1 } }) })
    await hooks.fire('preToolUse', { tool_name: 'Write', tool_input: { a: 0 } })
    const rounds = named('hook ').map(({ attributes }) => [
      attributes['holdfast.hook.name'],
      attributes['holdfast.round'],
    ])
    expect(rounds).toEqual([
      ['judge', undefined],
      ['author', undefined],
      ['judge', 2],
    ])
    expect(named('hooks ')[0]!.attributes['holdfast.rounds']).toBe(2)
  })

  it('cover the end of the process', async () => {
    space.user({ sessionEnd: [{ command: 'sleep 0.05' }] })
    const hooks = await space.open()
    traceHooks(hooks)
    const session = hooks.resumeSession()
    tracer().startActiveSpan('exit', span => {
      session.endSync()
      span.end()
    })
    const [event] = named('hooks ')
    const [run] = named('hook ')
    expect(parentOf(event!)).toBe(idOf(named('exit')[0]))
    expect(parentOf(run!)).toBe(idOf(event))
    expect(msOf(run!.duration)).toBeGreaterThanOrEqual(50)
  })

  it('contain neither commands nor payloads nor messages', async () => {
    space.user({
      [shell]: [{ command: `missing-program --key ${SECRET}` }, { command: `exit 3 # ${SECRET}` }],
    })
    const hooks = await space.open()
    traceHooks(hooks)
    hooks.register({ event: shell, command: `echo ${SECRET} >&2; exit 1`, root: space.root })
    hooks.register({ event: shell, type: 'prompt', prompt: `Is ${SECRET} in it?` })
    hooks.register({
      event: shell,
      run: ({ command }) => ({ permission: 'deny', user_message: command, agent_message: SECRET }),
    })
    hooks.register({
      event: shell,
      run: () => {
        throw new Error(SECRET)
      },
    })
    await hooks.fire(shell, { command: `deploy ${SECRET}` })
    const written = spans().map(({ name, attributes, status, events }) => ({
      name,
      attributes,
      status,
      events,
    }))
    expect(written).toHaveLength(7)
    expect(JSON.stringify(written)).not.toContain(SECRET)
    const failures = named('hook ').map(({ attributes, status }) => [
      attributes['error.type'],
      status.message,
    ])
    expect(failures.toSorted()).toEqual(
      [
        ['run/no-evaluator', 'run/no-evaluator'],
        ['run/not-found', 'run/not-found'],
        ['run/exit', 'run/exit'],
        ['run/exit', 'run/exit'],
        ['run/threw', 'run/threw'],
        [undefined, undefined],
      ].toSorted(),
    )
  })

  it('end with an error when the event is cancelled or the call is wrong', async () => {
    const hooks = await space.open()
    traceHooks(hooks)
    hooks.register({ event: shell, run: () => new Promise<undefined>(() => {}) })
    const controller = new AbortController()
    const fired = hooks.fire(shell, { command: 'ls' }, { signal: controller.signal })
    setImmediate(() => controller.abort())
    await expect(fired).rejects.toMatchObject({ code: 'use/aborted' })
    hooks.register({ event: 'beforeMCPExecution', run: () => undefined })
    // No hook could parse it, which is known once a hook matches.
    const tool_input = `${'['.repeat(200)}${']'.repeat(200)}`
    await expect(hooks.fire('beforeMCPExecution', { tool_name: 'read', tool_input })).rejects.toMatchObject({
      code: 'use/bad-payload',
    })
    const ended = named('hooks ').map(({ status, attributes }) => [status.code, attributes['error.type']])
    expect(ended).toEqual([
      [SpanStatusCode.ERROR, 'cancelled'],
      [SpanStatusCode.ERROR, 'use'],
    ])
    expect(named('hook ')[0]!.attributes['error.type']).toBe('run/signal')
  })

  it('of two engines are apart, and tracing can end', async () => {
    const [one, two] = [await space.open(), await space.open()]
    const other = new InMemorySpanExporter()
    const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(other)] })
    const end = traceHooks(one)
    traceHooks(two, { tracerProvider })
    await Promise.all([one.fire(shell, { command: 'ls' }), two.fire('stop', {})])
    end()
    await one.fire(shell, { command: 'ls' })
    expect(spans().map(({ name }) => name)).toEqual([`hooks ${shell}`])
    expect(other.getFinishedSpans().map(({ name }) => name)).toEqual(['hooks stop'])
    await tracerProvider.shutdown()
  })

  it('decide the same when tracing fails', async () => {
    const hooks = await space.open()
    const getTracer = () => {
      throw new Error('broken')
    }
    traceHooks(hooks, { tracerProvider: { getTracer } })
    hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
    expect((await hooks.fire(shell, { command: 'ls' })).permission).toBe('deny')
  })

  it('work without a registered provider', async () => {
    await unregister()
    const hooks = await space.open()
    traceHooks(hooks)
    hooks.register({ event: shell, run: () => ({ permission: 'deny' }) })
    expect((await hooks.fire(shell, { command: 'ls' })).permission).toBe('deny')
  })

  it('arrive through OTLP over HTTP', async () => {
    await unregister()
    const received: Exported[] = []
    const server = createServer(async (request, response) => {
      received.push(JSON.parse(await bodyOf(request)) as Exported)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      provider = register(new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/v1/traces` }))
      const hooks = await space.open()
      traceHooks(hooks)
      hooks.register({ event: shell, name: 'guard', run: () => ({ permission: 'ask' }) })
      await hooks.fire(shell, { command: 'ls' })
      await provider.forceFlush()
      const sent = received
        .flatMap(({ resourceSpans }) => resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ scope, spans }) => spans.map(span => ({ scope: scope.name, ...span })))
      const event = sent.find(({ name }) => name === `hooks ${shell}`)
      const run = sent.find(({ name }) => name === 'hook user function')
      expect(sent).toHaveLength(2)
      expect(event).toMatchObject({ scope: '@holdfast/hooks' })
      expect(run).toMatchObject({ parentSpanId: event!.spanId, traceId: event!.traceId })
      expect(event!.attributes).toContainEqual({ key: 'holdfast.decision', value: { stringValue: 'ask' } })
    } finally {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  })
})

describe('the guide', () => {
  it('lists every attribute of the table, in its words', () => {
    const guide = readFileSync(new URL('../../../../docs/guide/embed.md', import.meta.url), 'utf8')
    const tables = [...guide.matchAll(/^Attributes of the span .*\n\n((?:\|.*\n)+)/gm)].map(([, table]) =>
      table!
        .trim()
        .split('\n')
        .slice(2)
        .map(row => row.split('|').map(cell => cell.trim())),
    )
    const written = tables.map(rows => rows.map(([, name, doc]) => `${name} ${doc}`))
    const { eventStart, eventEnd, runStart, runEnd } = ATTRIBUTES
    const wanted = [
      { ...eventStart, ...eventEnd },
      { ...runStart, ...runEnd },
    ].map(rows => Object.entries(rows).map(([name, { doc }]) => `\`${name}\` ${doc}`))
    expect(written).toEqual(wanted)
  })
})

interface Exported {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly scope: { readonly name: string }
      readonly spans: readonly {
        readonly name: string
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly attributes: readonly unknown[]
      }[]
    }[]
  }[]
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

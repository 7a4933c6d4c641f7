// Starts the agent as a user would and follows its complete life: every event in order, inside and outside of a
// subagent.

import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EVENT_SPECS } from '@holdfast/hooks/protocol'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { itInAll } from '../../tests/scope.js'
// @ts-expect-error It has no types.
import { readOptions } from './options.mjs'

const program = fileURLToPath(new URL('agent.mjs', import.meta.url))
const everything = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
)

let base: string
let workspace: string
let log: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-example-agent-')))
  workspace = join(base, 'project')
  log = join(base, 'audit.jsonl')
  mkdirSync(join(base, 'home'))
  write('.cursor/audit.sh', `#!/bin/sh\nline=$(cat)\nprintf '%s\\n' "$line" >> '${log}'\n`, 0o755)
  writeFileSync(log, '')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function write(path: string, text: string, mode = 0o644): string {
  const file = join(workspace, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  chmodSync(file, mode)
  return file
}

const AGENT_EVENTS = EVENT_SPECS.filter(({ category }) => category === 'agent').map(({ name }) => name)

/** An audit hook on all events, and these beside it. */
function hooks(more: Record<string, object[]> = {}) {
  const all = Object.fromEntries(
    AGENT_EVENTS.map(name => [name, [{ command: '.cursor/audit.sh' }, ...(more[name] ?? [])]]),
  )
  write('.cursor/hooks.json', JSON.stringify({ version: 1, hooks: all }))
}

const audited = () =>
  readFileSync(log, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Record<string, unknown> & { hook_event_name: string })

/** `typed` is the user's input, line by line. */
const run = (lines: object, args: readonly string[], typed: readonly string[] = []) =>
  start(['--script', script(lines), ...args], typed)

function script(lines: object): string {
  const file = join(base, 'script.json')
  writeFileSync(file, JSON.stringify(lines))
  return file
}

function start(args: readonly string[], typed: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const fixed = ['--workspace', workspace, '--home', join(base, 'home')]
  const child = spawn(process.execPath, [program, ...fixed, ...args], {
    env: { PATH: process.env.PATH, NO_COLOR: '1', ...env },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      out += chunk
    })
  }
  child.stdin.end(typed.map(line => `${line}\n`).join(''))
  const ended = new Promise<{ code: number | null; out: string }>(resolve => {
    child.on('close', code => resolve({ code, out }))
  })
  return Object.assign(ended, { interrupt: () => child.kill('SIGINT') })
}

describe('its whole life', () => {
  it('has every event of an agent, in order', async () => {
    hooks({
      beforeShellExecution: [
        {
          command: `echo '{"permission":"deny","agent_message":"Not like this."}'`,
          matcher: '^git push',
        },
        { command: `echo '{"permission":"ask","user_message":"Read it?"}'`, matcher: '^cat' },
      ],
      stop: [{ command: `echo '{"followup_message":"Are you sure?"}'`, loop_limit: 1 }],
    })
    write(
      '.cursor/mcp.json',
      JSON.stringify({ mcpServers: { every: { command: process.execPath, args: [everything, 'stdio'] } } }),
    )
    write('a.txt', 'one\n')
    const task = { description: 'look', prompt: 'Look at a.txt.', subagent_type: 'explore' }
    const { code, out } = await run(
      {
        main: [
          { thought: 'First look.', text: 'I ask.', calls: [{ tool: 'Task', input: task }] },
          { calls: [{ tool: 'Write', input: { file_path: 'a.txt', content: 'two\n' } }] },
          { calls: [{ tool: 'Shell', input: { command: 'cat a.txt' } }] },
          { calls: [{ tool: 'Shell', input: { command: 'git push -f' } }] },
          { calls: [{ tool: 'every_echo', input: { message: 'hi' } }], inputTokens: 950 },
          { text: 'The summary.' },
          { text: 'Done.' },
          { text: 'I am sure.' },
        ],
        explore: [
          { thought: 'Reading.', calls: [{ tool: 'Read', input: { file_path: 'a.txt' } }] },
          { text: 'It says one.' },
        ],
      },
      ['--yes', '--trust', '--context', '1000', 'Change a.txt'],
      ['yes'],
    )
    expect(out).toContain('A hook asks: Read it? cat a.txt [y/N]')
    expect(out).toContain('I am sure.')
    expect(code).toBe(0)

    const parent = audited()[0]!.conversation_id
    const order = audited().map(({ hook_event_name, conversation_id, tool_name }) =>
      [conversation_id === parent ? '' : '  ', hook_event_name, tool_name ? ` ${tool_name}` : ''].join(''),
    )
    expect(order).toEqual([
      'sessionStart',
      'beforeSubmitPrompt',
      'afterAgentThought',
      'afterAgentResponse',
      'preToolUse Task',
      'subagentStart',
      '  afterAgentThought',
      '  preToolUse Read',
      '  beforeReadFile',
      '  postToolUse Read',
      '  afterAgentResponse',
      '  subagentStop',
      'postToolUse Task',
      'preToolUse Write',
      'afterFileEdit',
      'postToolUse Write',
      'preToolUse Shell',
      'beforeShellExecution',
      'permissionRequest Shell',
      'afterShellExecution',
      'postToolUse Shell',
      'preToolUse Shell',
      'beforeShellExecution',
      'postToolUseFailure Shell',
      'preToolUse MCP:echo',
      'beforeMCPExecution echo',
      'afterMCPExecution echo',
      'postToolUse MCP:echo',
      'preCompact',
      'afterAgentResponse',
      'stop',
      'beforeSubmitPrompt',
      'afterAgentResponse',
      'stop',
      'sessionEnd',
    ])
    expect([...new Set(audited().map(({ hook_event_name }) => hook_event_name))].toSorted()).toEqual(
      AGENT_EVENTS.toSorted(),
    )
    expect(AGENT_EVENTS).toHaveLength(19)
    const inside = audited().filter(({ conversation_id }) => conversation_id !== parent)
    expect(inside.every(({ parent_conversation_id }) => parent_conversation_id === parent)).toBe(true)
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two\n')
  })
})

describe('a real model', () => {
  it('is reached over HTTP, streams, and calls tools', async () => {
    hooks()
    const asked: { model: string; messages: { role: string; content: string }[] }[] = []
    const answers = [
      {
        tool_calls: [{ index: 0, id: 'c1', function: { name: 'Shell', arguments: '{"command":"echo hi"}' } }],
      },
      { content: 'It printed hi.' },
    ]
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(JSON.parse(body))
      const delta = answers[asked.length - 1]!
      const finish_reason = 'content' in delta ? 'stop' : 'tool_calls'
      response.setHeader('content-type', 'text/event-stream')
      for (const choice of [{ delta }, { delta: {}, finish_reason }]) {
        response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, ...choice }] })}\n\n`)
      }
      response.end('data: [DONE]\n\n')
    })
    await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as AddressInfo
    try {
      const model = ['--model', 'openai-compatible/llama']
      const { code, out } = await start([...model, '--yes', '--trust', 'Say hi'], [], {
        HOLDFAST_MODEL_URL: `http://127.0.0.1:${port}/v1`,
      })
      expect(out).toContain('It printed hi.')
      expect(code).toBe(0)
    } finally {
      server.close()
    }
    expect(asked[0]).toMatchObject({ model: 'llama', stream: true })
    expect(asked[1]!.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringContaining('hi') })
    expect(audited().map(({ hook_event_name }) => hook_event_name)).toContain('afterShellExecution')
    expect(audited()[0]).toMatchObject({ model: 'llama' })
  })
})

describe('a person', () => {
  const touch = { main: [{ calls: [{ tool: 'Shell', input: { command: 'touch made' } }] }, { text: 'Ok.' }] }
  const isMade = () => existsSync(join(workspace, 'made'))

  it('takes answers from stdin and treats only yes as approval', async () => {
    hooks()
    const answers = ['y', 'n', '']
    const turns = answers.flatMap(answer => [
      { calls: [{ tool: 'Shell', input: { command: `touch 'made ${answer}'` } }] },
      { text: 'Ok.' },
    ])
    const typed = [...answers.flatMap(answer => ['Make it', answer]), '/exit']
    const { out } = await run({ main: turns }, ['--trust'], typed)
    for (const answer of answers) expect(out).toContain(`Shell touch 'made ${answer}'? [y/N]`)
    expect(answers.filter(answer => existsSync(join(workspace, `made ${answer}`)))).toEqual(['y'])
    expect(audited().at(-1)).toMatchObject({ hook_event_name: 'sessionEnd', reason: 'completed' })
  })

  it('is asked by a hook even with --yes, and no answer is a no', async () => {
    hooks({
      beforeShellExecution: [{ command: `echo '{"permission":"ask","user_message":"Make a file?"}'` }],
    })
    const turns = ['made', 'more'].flatMap(file => [
      { calls: [{ tool: 'Shell', input: { command: `touch ${file}` } }] },
      { text: 'Ok.' },
    ])
    const { code, out } = await run({ main: turns }, ['--trust', '--yes'], ['Make it', 'yes', 'Make more'])
    for (const file of ['made', 'more']) {
      expect(out).toContain(`A hook asks: Make a file? touch ${file} [y/N]`)
    }
    expect([isMade(), existsSync(join(workspace, 'more'))]).toEqual([true, false])
    expect(code).toBe(0)
  })

  it('stops a turn with Ctrl-C and goes on talking', async () => {
    hooks()
    const sleep = { calls: [{ tool: 'Shell', input: { command: 'touch made; sleep 60' } }] }
    const child = start(
      ['--script', script({ main: [sleep, { text: 'Here again.' }] }), '--yes', '--trust'],
      ['Sleep', 'Hello'],
    )
    while (!audited().some(({ hook_event_name }) => hook_event_name === 'beforeShellExecution')) {
      await new Promise(wait => setTimeout(wait, 20))
    }
    while (!isMade()) await new Promise(wait => setTimeout(wait, 20))
    child.interrupt()
    const { code, out } = await child
    expect(out).toContain('! Stopped.')
    expect(out).toContain('Here again.')
    expect(code).toBe(0)
    const stops = audited().filter(({ hook_event_name }) => hook_event_name === 'stop')
    expect(stops.map(({ status }) => status)).toEqual(['aborted', 'completed'])
    expect(audited().at(-1)).toMatchObject({ hook_event_name: 'sessionEnd', reason: 'completed' })
  })

  it('decides about hooks that are new', async () => {
    hooks()
    const { out } = await run(touch, ['--yes', 'Make it'], ['no'])
    expect(out).toContain('These hooks of the project are new or changed. Trust them? [y/N]')
    expect(audited()).toEqual([])
  })

  it('reads why a message was not sent', async () => {
    hooks({ beforeSubmitPrompt: [{ command: `echo '{"continue":false,"user_message":"Not that."}'` }] })
    const { code, out } = await run({ main: [] }, ['--trust', 'Tell me'])
    expect(out).toContain('! Submission blocked by hook: Not that.')
    expect(code).toBe(1)
  })

  itInAll('sees what hooks go on with, what commands did, and can shorten the conversation', async () => {
    hooks({
      stop: [{ command: `echo '{"followup_message":"Run the tests."}'`, loop_limit: 1 }],
      preCompact: [{ command: `echo '{"user_message":"Shortening."}'` }],
    })
    const commands = ['true', 'false', 'echo out'].map(command => ({ tool: 'Shell', input: { command } }))
    const { code, out } = await run(
      {
        main: [
          { calls: commands },
          { text: 'Done.' },
          { calls: [{ tool: 'LS', input: {} }] },
          { text: 'Fine.' },
          { error: 'no summary' },
          { text: 'A summary.' },
          { text: 'Hello.' },
          { text: 'Fine again.' },
        ],
      },
      ['--yes', '--trust'],
      ['/compact', 'Go', '/compact', '/compact', 'Hi', '/exit'],
    )
    for (const words of [
      '! There is nothing to shorten yet.\n',
      '\n  exit 0\n',
      '\n  exit 1\n',
      '\n  out\n',
      '\nLS\n',
      'Done.\n! A hook goes on: Run the tests.\n',
      '! Shortening.\n! The model failed: no summary\n',
      'Hello.\n',
    ]) {
      expect(out).toContain(words)
    }
    expect(code).toBe(0)
  })

  itInAll('reads why a model failed, and the session ends', async () => {
    hooks()
    const { code, out } = await run({ main: [] }, ['--trust', 'Tell me'])
    expect(out).toContain('! The model failed: The scripted model has only 0 lines')
    expect(code).toBe(1)
    expect(audited().slice(-2)).toMatchObject([
      { hook_event_name: 'stop', status: 'error' },
      { hook_event_name: 'sessionEnd' },
    ])
  })

  const calls = (args: readonly string[], words: string) => async () => {
    const { code, out } = await run({ main: [] }, args)
    expect(out).toContain(words)
    expect(out).not.toMatch(/\n\s+at /)
    expect(code).toBe(1)
  }
  it(
    'reports a wrong option',
    calls(['--nonsense'], "Unknown option '--nonsense'. --help lists the options."),
  )
  it(
    'reports a --script file that is not valid',
    calls(['--script', 'package.json'], 'package.json has no list "main"'),
  )
  itInAll(
    'reports a --script file that does not exist',
    calls(['--script', 'none.json'], 'none.json cannot be read'),
  )

  it.each([
    [['--context', 'much'], '--context must be a whole number'],
    [['--context', '0'], '--context must be a whole number'],
    [['--workspace', 'nowhere'], 'nowhere is not a folder'],
    [[], 'No model: say --model'],
  ])('reports the wrong call %j', (args, words) => {
    vi.stubEnv('HOLDFAST_MODEL', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(() => readOptions(args)).toThrow(words)
  })

  itInAll('can take the tour without a model', async () => {
    hooks()
    const tour = JSON.parse(readFileSync(new URL('scripts/tour.json', import.meta.url), 'utf8')) as object
    const { code, out } = await run(tour, ['--yes', '--trust', 'Write a greeting'])
    expect(code).toBe(0)
    expect(out).toContain('hello.txt says hello.')
    expect(readFileSync(join(workspace, 'hello.txt'), 'utf8')).toBe('Hello from the agent.\n')
  })
})

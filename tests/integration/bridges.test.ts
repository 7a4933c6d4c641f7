// The bridges as other agents use them: a payload on stdin of the command, a response on its stdout.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createStates, statesFolder } from '@holdfast/hooks/bridges'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AGENTS, type AgentName, type Answered, BLOCKS, SHAPES } from '../fixtures/agents.js'
import { Workspace } from '../fixtures/workspace.js'
import { canBeWarm, runHoldfast, startWarm, type Warm } from '../warm/warm.js'

const BIN = fileURLToPath(new URL('../../packages/cli/bin/holdfast.cjs', import.meta.url))

let warm: Warm | undefined
beforeAll(() => {
  warm = canBeWarm ? startWarm() : undefined
})
afterAll(() => warm?.close())

let place: Workspace
beforeEach(() => {
  place = new Workspace()
})
afterEach(() => place.close())

/** The payloads that the hook of this name has recorded. */
const seen = (name: string): Record<string, unknown>[] => {
  const file = join(place.base, `${name}.jsonl`)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line))
}

/** A hook that records its payloads and responds. */
const hook = (name: string, answer: object | null = null, more: object = {}) => {
  const file = join(place.base, `${name}.jsonl`)
  const says = answer ? `; echo '${JSON.stringify(answer)}'` : ''
  // In one write, because several may run at once.
  return { command: `printf '%s\\n' "$(cat)" >> ${file}${says}`, ...more }
}

interface CallOptions {
  readonly args?: string[]
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Starts a process, even if a warm one exists. */
  readonly asProcess?: boolean
}

async function call(agent: string, payload: object | string, options: CallOptions = {}): Promise<Answered> {
  const text =
    typeof payload === 'string'
      ? payload
      : `${JSON.stringify({ cwd: options.cwd ?? place.root, ...payload })}\n`
  const { home, enterprise } = place
  await createStates(statesFolder(home, { name: agent }))
  const args = ['bridge', agent, '--home', home, '--enterprise', enterprise, ...(options.args ?? [])]
  const env = { ...process.env, CLAUDE_PROJECT_DIR: '', GEMINI_PROJECT_DIR: '', ...options.env }
  const cwd = options.cwd ?? place.base
  if (warm && !options.asProcess) {
    const { status, stdout, stderr } = runHoldfast(warm, args, { cwd, env, input: text })
    return { stdout, stderr, exitCode: status ?? -1 }
  }
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env })
  child.stdin.on('error', () => {})
  child.stdin.end(text)
  return answeredBy(child)
}

const answeredBy = (child: ChildProcess): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const out: string[] = []
    const err: string[] = []
    child.stdout!.on('data', chunk => out.push(String(chunk)))
    child.stderr!.on('data', chunk => err.push(String(chunk)))
    child.on('error', reject)
    child.on('close', code => resolve({ stdout: out.join(''), stderr: err.join(''), exitCode: code ?? -1 }))
  })

const ofEvent = (agent: AgentName, kind: 'tool' | 'prompt') => ({ args: ['--event', SHAPES[agent][kind]] })
const answer = (answered: Answered) => JSON.parse(answered.stdout)

describe.each(AGENTS)('%s', agent => {
  const { shell, read, ask, mcp } = SHAPES[agent]
  const tool = (payload: object) => call(agent, payload, ofEvent(agent, 'tool'))
  const blocks = (answered: Answered, kind: 'tool' | 'prompt' = 'tool') =>
    BLOCKS[agent](SHAPES[agent][kind], answered)

  it('asks or denies before hook files change, and reading them is free', async () => {
    place.user({ stop: [hook('stop')] })
    const changed = await tool(shell(`echo '{' > ~/.cursor/hooks.json`))
    expect(blocks(changed) || /"(?:permissionDecision)":"ask"/.test(changed.stdout)).toBe(true)
    expect(changed.stdout).toContain(join(place.home, '.cursor/hooks.json'))
    expect((await tool(shell('cat ~/.cursor/hooks.json'))).stdout).toBe('')
  })

  it('names itself in messages, not Cursor', async () => {
    place.user({ beforeShellExecution: [{ command: 'exit 3', failClosed: true }] })
    const { stdout } = await tool(shell('ls'))
    expect(stdout).toContain('blocked the terminal tool because a hook failed closed')
    expect(stdout).not.toContain('Cursor')
  })

  it('prints nothing when no hook has a decision', async () => {
    place.user({ beforeShellExecution: [hook('shell')] })
    expect(await call(agent, shell('ls'), { ...ofEvent(agent, 'tool'), asProcess: true })).toEqual({
      stdout: '',
      stderr: '',
      exitCode: 0,
    })
    expect(seen('shell')).toMatchObject([{ command: 'ls', cwd: place.root, conversation_id: 's-1' }])
  })

  it('is stopped by a deny of the specific event, with both texts', async () => {
    const deny = { permission: 'deny', user_message: 'Not here.', agent_message: 'Ask first.' }
    place.user({ beforeShellExecution: [hook('shell', deny)], postToolUseFailure: [hook('failed')] })
    const answered = await call(agent, shell('rm -rf build'), { ...ofEvent(agent, 'tool'), asProcess: true })
    expect(blocks(answered)).toBe(true)
    expect(answered.stdout).toContain('The terminal command was rejected by a hook: Ask first.')
    expect(seen('failed')).toMatchObject([{ tool_name: 'Shell', failure_type: 'permission_denied' }])
  })

  it('is stopped by a deny of the generic event, and the specific one does not run', async () => {
    place.user({
      preToolUse: [hook('pre', { permission: 'deny', user_message: 'No.' })],
      beforeShellExecution: [hook('shell')],
    })
    expect(blocks(await tool(shell('ls')))).toBe(true)
    expect(seen('pre')).toMatchObject([{ tool_name: 'Shell', tool_input: { command: 'ls' } }])
    expect(seen('shell')).toEqual([])
  })

  it('gives the specific event the changed input, and the agent the whole of it', async () => {
    place.user({
      preToolUse: [hook('pre', { updated_input: { command: 'echo safe' } })],
      beforeShellExecution: [hook('shell')],
    })
    const answered = await tool(shell('echo risky'))
    // If a call cannot be changed, the model is asked to make the other call.
    expect(blocks(answered)).toBe(agent === 'qwen')
    expect(seen('shell')).toMatchObject([{ command: 'echo safe' }])
    expect(answered.stdout).toMatch(/\\?"command\\?":\\?"echo safe\\?"/)
  })

  it('never reads a deny as a rewrite', async () => {
    place.user({
      preToolUse: [hook('pre', { updated_input: { command: 'echo safe' } })],
      beforeShellExecution: [hook('shell', { permission: 'deny' })],
    })
    const answered = await tool(shell('echo risky'))
    expect(blocks(answered)).toBe(true)
    expect(answered.stdout).not.toContain('echo safe')
  })

  it('asks where it can, and is stopped where it cannot', async () => {
    place.user({ beforeShellExecution: [hook('shell', { permission: 'ask', user_message: 'Sure?' })] })
    const answered = await tool(shell('ls'))
    const canAsk = agent === 'claude-code' || agent === 'qwen' || agent === 'copilot'
    expect(blocks(answered)).toBe(!canAsk)
    expect(answered.stdout).toContain('Sure?')
    if (canAsk) expect(answered.stdout).toContain('"permissionDecision":"ask"')
  })

  it('blocks a prompt', async () => {
    place.user({ beforeSubmitPrompt: [hook('prompt', { continue: false, user_message: 'Secret.' })] })
    const answered = await call(agent, ask('my password'), ofEvent(agent, 'prompt'))
    expect(seen('prompt')).toMatchObject([{ prompt: 'my password' }])
    expect(blocks(answered, 'prompt')).toBe(true)
    expect(answered.stdout).toContain('Submission blocked by hook: Secret.')
  })

  it('shows what is to be read', async () => {
    const file = place.write('notes.txt', 'line\n')
    place.user({
      beforeReadFile: [hook('read', { permission: 'deny' })],
      preToolUse: [hook('pre', null, { matcher: '^Read$' })],
    })
    const answered = await tool(read(file))
    expect(seen('pre')).toHaveLength(1)
    if (agent === 'codex') return
    expect(blocks(answered)).toBe(true)
    expect(seen('read')).toMatchObject([{ file_path: file, content: 'line\n' }])
  })

  it('gives MCP calls their events', async () => {
    place.user({
      preToolUse: [hook('pre')],
      beforeMCPExecution: [hook('mcp', { permission: 'deny' })],
    })
    const answered = await tool(mcp('yo'))
    if (agent === 'copilot') return expect(seen('pre')).toMatchObject([{ tool_name: 'ev-echo' }])
    expect(blocks(answered)).toBe(true)
    expect(seen('pre')).toMatchObject([{ tool_name: 'MCP:echo', tool_input: { message: 'yo' } }])
    expect(seen('mcp')).toMatchObject([
      { tool_name: 'echo', tool_input: '{"message":"yo"}', mcp_server_name: 'ev' },
    ])
  })

  it.each([
    ['empty', ''],
    ['half', '{"session_id":"s'],
    ['an array', '[]'],
    ['without what matters', '{"session_id":"s-1"}'],
    ['of the wrong types', '{"tool_name":7,"toolName":7,"tool_input":"x","toolArgs":"x"}'],
  ])('a payload that is %s is blocked if a hook could have denied it', async (_, text) => {
    place.user({ afterShellExecution: [hook('shell')] })
    const open = await call(agent, text, ofEvent(agent, 'tool'))
    expect(blocks(open)).toBe(false)
    expect(open.stderr).toMatch(/^holdfast bridge: The payload /)
    place.user({ beforeShellExecution: [hook('shell')] })
    expect(blocks(await call(agent, text, ofEvent(agent, 'tool')))).toBe(true)
    expect(readFileSync(join(place.home, '.holdfast/log/bridge.log'), 'utf8')).toContain(
      ` ${agent} The payload `,
    )
    // Without the name of the event the agent only understands the exit code.
    const nameless = await call(agent, text)
    expect(nameless).toMatchObject({ stdout: '', exitCode: 2 })
    expect(nameless.stderr).toContain('Blocked')
  })

  it('abstains on an unknown event', async () => {
    place.user({ preToolUse: [hook('pre', { permission: 'deny' }, { failClosed: true })] })
    const answered = await call(agent, { hook_event_name: 'FutureEvent', tool_name: 'Bash' })
    expect(answered).toMatchObject({ stdout: '', exitCode: 0 })
    expect(answered.stderr).toContain('unknown event "FutureEvent". No hook ran.')
  })

  it('blocks when the engine cannot be opened', async () => {
    place.user({ beforeShellExecution: [hook('shell')] })
    const answered = await call(agent, shell('ls'), {
      args: ['--event', SHAPES[agent].tool, '--required', 'team'],
    })
    expect(blocks(answered)).toBe(true)
  })

  it('blocks when the bridge itself fails', async () => {
    // Opened for writing only, so that reading it fails.
    const unreadable = openSync(join(place.base, 'unreadable'), 'w')
    const args = ['bridge', agent, '--home', place.home, '--event', SHAPES[agent].tool]
    const child = spawn(process.execPath, [BIN, ...args], { stdio: [unreadable, 'pipe', 'pipe'] })
    closeSync(unreadable)
    const answered = await answeredBy(child)
    expect(answered).toMatchObject({ stdout: '', exitCode: 2 })
    expect(answered.stderr).toContain('Blocked, because the bridge failed: EBADF')
    expect(blocks(answered)).toBe(true)
  })
})

it('denies a call that is larger than 64 MiB, and gives the reason', async () => {
  place.user({ preToolUse: [hook('pre')] })
  const large = `{"tool_name":"Bash","tool_input":{"command":"${'x'.repeat(64 * 1024 * 1024)}"}}`
  const answered = await call('claude-code', large, { ...ofEvent('claude-code', 'tool'), asProcess: true })
  expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
  expect(answered.stderr).toContain('The payload is larger than 64 MiB.')
})

describe.each([
  ['claude-code', ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN']],
  ['copilot', ['COPILOT_GITHUB_TOKEN']],
] as const)('the keys of %s', (agent, names) => {
  const secrets = Object.fromEntries(names.map((name, index) => [name, `secret-${index}`]))
  const envSeen = async (env: NodeJS.ProcessEnv) => {
    const file = join(place.base, 'env')
    place.user({ beforeShellExecution: [{ command: `env > ${file}` }] })
    await call(agent, SHAPES[agent].shell('ls'), { ...ofEvent(agent, 'tool'), env: { ...secrets, ...env } })
    return place.read(file)
  }

  it('do not reach hooks', async () => {
    expect(await envSeen({})).not.toContain('secret-')
  })

  it('reach hooks if the user names them', async () => {
    const text = await envSeen({ HOLDFAST_PASS_ENV: `OTHER, ${names[0]}` })
    expect(text).toContain(`${names[0]}=secret-0`)
    expect(text).not.toContain('secret-1')
  })
})

it('runs the hooks of the repository in a folder with an empty hooks.json', async () => {
  const inner = place.folder('project/pkg')
  mkdirSync(join(place.root, '.git'))
  place.project({ beforeShellExecution: [hook('shell')] })
  place.project({}, inner)
  await call('claude-code', SHAPES['claude-code'].shell('ls'), { cwd: inner, args: ['--trust-all'] })
  expect(seen('shell')).toMatchObject([{ command: 'ls', workspace_roots: [inner, place.root] }])
  // Outside of a repository, a folder above belongs to somebody else.
  rmSync(join(place.root, '.git'), { recursive: true })
  const other = { ...SHAPES['claude-code'].shell('ls'), session_id: 'other' }
  await call('claude-code', other, { cwd: inner, args: ['--trust-all'] })
  expect(seen('shell')).toHaveLength(1)
})

describe('Claude Code', () => {
  const send = (hook_event_name: string, more: object = {}, session_id = 's-1') =>
    call('claude-code', { session_id, hook_event_name, ...more })

  it('answers exactly in its words', async () => {
    place.user({
      preToolUse: [
        hook('pre', { permission: 'allow', user_message: 'Fine.', updated_input: { command: 'ls -a' } }),
      ],
    })
    const { stdout } = await call('claude-code', SHAPES['claude-code'].shell('ls'))
    expect(stdout).toBe(
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"Fine.","updatedInput":{"command":"ls -a","description":"d"}}}\n',
    )
  })

  it('stores variables, counts follow-ups, and starts again with the next prompt', async () => {
    place.user({
      sessionStart: [hook('start', { additional_context: 'Be kind.', env: { HOOK_COLOR: 'blue' } })],
      stop: [
        {
          command: `echo "$HOOK_COLOR" >> ${place.base}/color; echo '{"followup_message":"Go on."}'`,
          loop_limit: 2,
        },
      ],
    })
    expect(answer(await send('SessionStart', { source: 'startup' }))).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Be kind.' },
    })
    const stops = async () => (await send('Stop', { stop_hook_active: false })).stdout
    expect(await stops()).toBe('{"decision":"block","reason":"Go on."}\n')
    expect(await stops()).toBe('{"decision":"block","reason":"Go on."}\n')
    expect(await stops()).toBe('')
    await send('UserPromptSubmit', { prompt: 'next' })
    expect(await stops()).toBe('{"decision":"block","reason":"Go on."}\n')
    expect(readFileSync(join(place.base, 'color'), 'utf8')).toBe('blue\n'.repeat(4))
    // Another conversation has neither.
    expect((await send('Stop', {}, 's-2')).stdout).toContain('Go on.')
    expect(readFileSync(join(place.base, 'color'), 'utf8')).toBe(`${'blue\n'.repeat(4)}\n`)
  })

  it('does not begin a session that is resumed', async () => {
    place.user({ sessionStart: [hook('start')] })
    await send('SessionStart', { source: 'startup' })
    await send('SessionStart', { source: 'resume' })
    await send('SessionStart', { source: 'compact' })
    expect(seen('start')).toHaveLength(1)
    await send('SessionStart', { source: 'resume' }, 'never-seen')
    expect(seen('start')).toHaveLength(2)
  })

  it('stops every prompt and call of a session that must not start', async () => {
    place.user({ sessionStart: [hook('start', { continue: false, user_message: 'Closed.' })] })
    expect((await send('SessionStart', { source: 'startup' })).stdout).toContain('Closed.')
    expect(BLOCKS['claude-code']('UserPromptSubmit', await send('UserPromptSubmit', { prompt: 'hi' }))).toBe(
      true,
    )
    const { shell } = SHAPES['claude-code']
    expect(BLOCKS['claude-code']('PreToolUse', await call('claude-code', shell('ls')))).toBe(true)
  })

  it('tells edits, writes and results', async () => {
    place.user({
      afterFileEdit: [hook('edit')],
      postToolUse: [hook('post', { additional_context: 'Seen.' })],
    })
    const file_path = join(place.root, 'a.txt')
    const edit = { file_path, old_string: 'a', new_string: 'b', replace_all: false }
    const answered = await send('PostToolUse', {
      tool_name: 'Edit',
      tool_input: edit,
      tool_response: {},
      duration_ms: 8,
    })
    expect(answer(answered).hookSpecificOutput).toEqual({
      hookEventName: 'PostToolUse',
      additionalContext: 'Seen.',
    })
    await send('PostToolUse', {
      tool_name: 'Write',
      tool_input: { file_path, content: 'new\n' },
      tool_response: { type: 'update', originalFile: 'old\n' },
    })
    expect(seen('edit')).toMatchObject([
      { file_path, edits: [{ old_string: 'a', new_string: 'b' }] },
      { file_path, edits: [{ old_string: 'old\n', new_string: 'new\n' }] },
    ])
    await send('PostToolUse', {
      tool_name: 'NotebookEdit',
      tool_input: { notebook_path: file_path, cell_id: 'c', new_source: 'print(2)' },
      tool_response: { new_source: 'print(2)', old_source: 'print(1)', original_file: '{}' },
    })
    expect(seen('edit').at(-1)).toMatchObject({
      edits: [{ old_string: 'print(1)', new_string: 'print(2)' }],
    })
    expect(seen('post')).toMatchObject([{ tool_name: 'Write', duration: 8, tool_output: '{}' }, {}, {}])
  })

  it('tells commands that ran and that failed', async () => {
    place.user({ afterShellExecution: [hook('after')], postToolUseFailure: [hook('failed')] })
    const tool_input = { command: 'make' }
    const response = { stdout: 'ok', stderr: 'warning', interrupted: false }
    await send('PostToolUse', { tool_name: 'Bash', tool_input, tool_response: response, duration_ms: 65 })
    const failure = { error: 'Exit code 3\nno rule', is_interrupt: false, duration_ms: 38 }
    await send('PostToolUseFailure', { tool_name: 'Bash', tool_input, ...failure })
    expect(seen('after')).toMatchObject([
      { command: 'make', output: 'ok\nwarning', duration: 65 },
      { command: 'make', exit_code: 3, output: 'no rule' },
    ])
    expect(seen('failed')).toMatchObject([{ error_message: 'Exit code 3\nno rule', failure_type: 'error' }])
  })

  it('replaces what an MCP tool gave', async () => {
    place.user({
      postToolUse: [hook('post', { updated_mcp_tool_output: { content: [{ type: 'text', text: 'x' }] } })],
    })
    const answered = await send('PostToolUse', {
      tool_name: 'mcp__ev__echo',
      tool_input: {},
      tool_response: [{ type: 'text', text: 'secret' }],
    })
    expect(answer(answered).hookSpecificOutput.updatedMCPToolOutput).toEqual([{ type: 'text', text: 'x' }])
  })

  it('gates subagents by the tool that starts them, and knows them as conversations', async () => {
    place.user({
      sessionStart: [hook('start', { env: { HOOK_COLOR: 'blue' } })],
      subagentStart: [hook('sub', { permission: 'deny' }, { matcher: 'secret' })],
      beforeShellExecution: [
        { command: `echo "$HOOK_COLOR" > ${place.base}/color; cat > ${place.base}/inside.jsonl` },
      ],
      subagentStop: [hook('end', { followup_message: 'Once more.' }, { loop_limit: 1 })],
    })
    await send('SessionStart', { source: 'startup' })
    const start = (subagent_type: string) =>
      send('PreToolUse', {
        tool_name: 'Agent',
        tool_input: { prompt: 'do', subagent_type },
        tool_use_id: 't',
      })
    expect(BLOCKS['claude-code']('PreToolUse', await start('secret'))).toBe(true)
    expect(BLOCKS['claude-code']('PreToolUse', await start('open'))).toBe(false)
    expect(seen('sub')).toMatchObject([
      { subagent_type: 'secret', task: 'do', parent_conversation_id: 's-1' },
    ])
    const inside = { agent_id: 'a1', agent_type: 'open' }
    await send('PreToolUse', { ...inside, tool_name: 'Bash', tool_input: { command: 'ls' } })
    expect(readFileSync(join(place.base, 'color'), 'utf8')).toBe('blue\n')
    expect(seen('inside')).toMatchObject([{ conversation_id: 'a1' }])
    expect((await send('SubagentStop', inside)).stdout).toContain('Once more.')
    expect((await send('SubagentStop', inside)).stdout).toBe('')
    expect((await send('SubagentStop', { agent_id: 'a2', agent_type: 'open' })).stdout).toContain(
      'Once more.',
    )
  })

  it('says who is inside whom', async () => {
    place.user({ beforeShellExecution: [hook('shell')], subagentStart: [hook('sub')] })
    const inside = { agent_id: 'a1', agent_type: 'open' }
    await send('PreToolUse', { ...inside, tool_name: 'Bash', tool_input: { command: 'ls' } })
    expect(seen('shell')).toMatchObject([
      { conversation_id: 'a1', parent_conversation_id: 's-1', subagent_id: 'a1' },
    ])
    const tool_input = { prompt: 'do', subagent_type: 'open' }
    await send('PreToolUse', { ...inside, tool_name: 'Agent', tool_input, tool_use_id: 't-2' })
    expect(seen('sub')).toMatchObject([{ parent_conversation_id: 'a1', subagent_id: 't-2' }])
  })

  it('does not take an agent of its own for a subagent', async () => {
    place.user({ subagentStop: [hook('end', { followup_message: 'Once more.' })] })
    const own = { agent_id: 'a1', agent_type: '', last_assistant_message: 'A summary.' }
    expect(await send('SubagentStop', own)).toEqual({ stdout: '', stderr: '', exitCode: 0 })
    expect(seen('end')).toEqual([])
    await send('SubagentStop', { agent_id: 'a2' })
    expect(seen('end')).toMatchObject([{ conversation_id: 'a2', subagent_type: 'generalPurpose' }])
  })

  it.each(['Bash', 'PowerShell', 'Monitor'])('gates the commands of %s', async tool_name => {
    place.user({
      preToolUse: [hook('pre', null, { matcher: '^Shell$' })],
      beforeShellExecution: [hook('shell', { permission: 'deny' })],
    })
    const answered = await send('PreToolUse', { tool_name, tool_input: { command: 'ls' } })
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    expect(seen('pre')).toHaveLength(1)
    expect(seen('shell')).toMatchObject([{ command: 'ls' }])
  })

  it.each([
    ['mcp__a__b__echo', { name: 'a__b' }, 'a__b', 'echo'],
    ['mcp__my_own_server__get__it', { name: 'my.own server' }, 'my.own server', 'get__it'],
    ['mcp__ev__echo', undefined, 'ev', 'echo'],
    ['mcp__ev__echo', { name: 'other' }, 'ev', 'echo'],
    ['mcp__ev__echo', { name: 7 }, 'ev', 'echo'],
    ['mcp__ev__echo', 'ev', 'ev', 'echo'],
  ])('knows the server and the tool of %s', async (tool_name, mcp_server, server, tool) => {
    place.user({ preToolUse: [hook('pre')], beforeMCPExecution: [hook('mcp')] })
    await send('PreToolUse', { tool_name, tool_input: {}, mcp_server })
    expect(seen('pre')).toMatchObject([{ tool_name: `MCP:${tool}` }])
    expect(seen('mcp')).toMatchObject([{ tool_name: tool, mcp_server_name: server }])
  })

  it('does not restart the count when a background task has ended', async () => {
    place.user({
      beforeSubmitPrompt: [hook('prompt')],
      stop: [hook('stop', { followup_message: 'Go on.' }, { loop_limit: 2 })],
    })
    await send('UserPromptSubmit', { prompt: 'Watch.' })
    await send('Stop')
    const prompt = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>'
    await send('UserPromptSubmit', { prompt })
    await send('Stop')
    expect(seen('prompt')).toMatchObject([{ prompt: 'Watch.' }, { prompt }])
    expect(seen('stop').map(({ loop_count }) => loop_count)).toEqual([0, 1])
  })

  it('finds the hooks of the project it works in, once they are trusted', async () => {
    place.write('.git/HEAD', '')
    place.project({ beforeShellExecution: [hook('shell', { permission: 'deny' })] })
    const deep = place.folder('project/src/deep')
    const { shell } = SHAPES['claude-code']
    const { stdout } = await send('SessionStart', { source: 'startup' })
    expect(stdout).toContain('1 project hook(s) do not run until they are trusted: holdfast trust')
    expect((await call('claude-code', shell('ls'), { cwd: deep })).stdout).toBe('')
    const answered = await call('claude-code', shell('ls'), { cwd: deep, args: ['--trust-all'] })
    expect(BLOCKS['claude-code']('PreToolUse', answered)).toBe(true)
    const env = { CLAUDE_PROJECT_DIR: place.root }
    const away = await call('claude-code', shell('ls'), { cwd: '/', args: ['--trust-all'], env })
    expect(BLOCKS['claude-code']('PreToolUse', away)).toBe(true)
  })

  it('says the rest: compaction, the last message, the end', async () => {
    place.user({
      preCompact: [hook('compact', { user_message: 'Compacting.' })],
      afterAgentResponse: [hook('response')],
      stop: [hook('stop')],
      sessionEnd: [hook('end')],
    })
    expect(answer(await send('PreCompact', { trigger: 'manual' }))).toEqual({ systemMessage: 'Compacting.' })
    await send('PreCompact', { trigger: 'auto' })
    await send('Stop', { last_assistant_message: 'all done' })
    await send('SessionEnd', { reason: 'prompt_input_exit' })
    expect(seen('compact')).toMatchObject([
      { trigger: 'manual', is_first_compaction: true },
      { trigger: 'auto', is_first_compaction: false },
    ])
    expect(seen('response')).toMatchObject([{ text: 'all done' }])
    expect(seen('stop')).toMatchObject([{ status: 'completed', loop_count: 0 }])
    expect(seen('end')).toMatchObject([{ reason: 'user_close' }])
  })

  it('keeps what parallel calls store', async () => {
    place.user({ subagentStop: [hook('end', { followup_message: 'More.' }, { loop_limit: null })] })
    const ids = ['a1', 'a2', 'a3', 'a4']
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        ids.map(agent_id =>
          call(
            'claude-code',
            { session_id: 's-1', hook_event_name: 'SubagentStop', agent_id, agent_type: 'x' },
            { asProcess: true },
          ),
        ),
      )
    }
    const counts = seen('end').map(({ conversation_id, loop_count }) => `${conversation_id} ${loop_count}`)
    expect(counts.sort()).toEqual(ids.flatMap(id => [`${id} 0`, `${id} 1`, `${id} 2`]))
  })
})

describe('Codex', () => {
  it('sends a rewrite with allow, and an allow alone not at all', async () => {
    place.user({ preToolUse: [hook('pre', { permission: 'allow' })] })
    const { shell } = SHAPES.codex
    expect((await call('codex', shell('ls'))).stdout).toBe('')
    place.user({ preToolUse: [hook('pre', { updated_input: { command: 'ls -a' } })] })
    expect(answer(await call('codex', { ...shell('ls'), session_id: 'other' }))).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'allow',
        updatedInput: { command: 'ls -a', description: 'd' },
      },
    })
  })

  it('puts a new result of an MCP tool in the place of the old one', async () => {
    const content = [{ type: 'text', text: 'masked' }]
    place.user({
      postToolUse: [hook('post', { updated_mcp_tool_output: { content }, additional_context: 'Note.' })],
    })
    const answered = await call('codex', {
      ...SHAPES.codex.mcp('x'),
      hook_event_name: 'PostToolUse',
      tool_response: { content: [{ type: 'text', text: 'secret' }] },
    })
    expect(answer(answered)).toEqual({
      decision: 'block',
      reason: 'masked',
      hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'Note.' },
    })
  })

  it.each([[[]], [[{ type: 'text', text: ' ' }]]])('hides a result behind nothing: %j', async content => {
    place.user({ postToolUse: [hook('post', { updated_mcp_tool_output: { content } })] })
    const answered = await call('codex', {
      ...SHAPES.codex.mcp('x'),
      hook_event_name: 'PostToolUse',
      tool_response: { content: [{ type: 'text', text: 'secret' }] },
    })
    expect(BLOCKS.codex('PostToolUse', answered)).toBe(true)
  })

  it('does not lose the hooks of the project when a command runs elsewhere', async () => {
    place.write('.git/HEAD', '')
    place.project({ beforeShellExecution: [hook('shell', { permission: 'deny' })] })
    const away = { ...SHAPES.codex.shell('ls'), cwd: '/' }
    const answered = await call('codex', away, { args: ['--trust-all'], cwd: place.folder('project/src') })
    expect(BLOCKS.codex('PreToolUse', answered)).toBe(true)
    expect(seen('shell')).toMatchObject([{ command: 'ls', cwd: '/', workspace_roots: [place.root] }])
  })

  it('does not hand its key to hooks', async () => {
    place.user({ beforeShellExecution: [{ command: `env > ${place.base}/env` }] })
    const env = { OPENAI_API_KEY: 'secret-1', CODEX_API_KEY: 'secret-2', OTHER: 'kept' }
    await call('codex', SHAPES.codex.shell('ls'), { env })
    const text = readFileSync(join(place.base, 'env'), 'utf8')
    expect(text).toContain('OTHER=kept')
    expect(text).not.toContain('secret-')
  })

  it.each(['spawn_agent', 'collaborationspawn_agent'])('gates subagents by %s', async tool_name => {
    place.user({
      preToolUse: [hook('pre', { updated_input: { prompt: 'do less' } }, { matcher: '^Task$' })],
      subagentStart: [hook('sub', { permission: 'deny' }, { matcher: 'secret' })],
    })
    const start = (more: object) =>
      call('codex', {
        session_id: 's-1',
        hook_event_name: 'PreToolUse',
        tool_name,
        tool_input: { message: 'do', ...more },
        tool_use_id: 'c1',
      })
    expect(answer(await start({ task_name: 't' })).hookSpecificOutput.updatedInput).toEqual({
      task_name: 't',
      message: 'do less',
    })
    expect(BLOCKS.codex('PreToolUse', await start({ agent_type: 'secret' }))).toBe(true)
    expect(seen('sub')).toMatchObject([{ subagent_type: 'secret', task: 'do less' }])
  })

  it('shows an image that is to be read', async () => {
    const file = place.write('a.png', 'pixels')
    place.user({ beforeReadFile: [hook('read', { permission: 'deny' })], preToolUse: [hook('pre')] })
    const look = { session_id: 's-1', hook_event_name: 'PreToolUse', tool_name: 'view_image' }
    const answered = await call('codex', { ...look, tool_input: { path: 'a.png' } })
    expect(BLOCKS.codex('PreToolUse', answered)).toBe(true)
    expect(seen('read')).toMatchObject([{ file_path: file, content: 'pixels' }])
    // A matcher for Read must not suggest that it guards what Codex reads.
    expect(seen('pre')).toMatchObject([{ tool_name: 'view_image' }])
  })

  it('ends a session that must not start, and whatever comes after', async () => {
    place.user({ sessionStart: [hook('start', { continue: false })] })
    const start = { session_id: 's-1', hook_event_name: 'SessionStart', source: 'startup' }
    const { continue: goesOn, stopReason } = answer(await call('codex', start))
    expect(goesOn).toBe(false)
    expect(stopReason).not.toBe('')
    expect(BLOCKS.codex('UserPromptSubmit', await call('codex', SHAPES.codex.ask('hi')))).toBe(true)
    expect(BLOCKS.codex('PreToolUse', await call('codex', SHAPES.codex.shell('ls')))).toBe(true)
  })

  it('tells a turn that a person interrupts, and does not send it on', async () => {
    place.user({ stop: [hook('stop', { followup_message: 'Go on.' })] })
    const answered = await call('codex', { session_id: 's-1', hook_event_name: 'Interrupt', turn_id: 't' })
    expect(answered).toEqual({ stdout: '', stderr: '', exitCode: 0 })
    expect(seen('stop')).toMatchObject([{ status: 'aborted' }])
  })

  it('tells a patch file by file', async () => {
    place.user({ afterFileEdit: [hook('edit')] })
    const command = [
      '*** Begin Patch',
      '*** Update File: src/a.ts',
      '@@ function f',
      ' keep',
      '-old',
      '+new',
      '*** Add File: b.txt',
      '+hello',
      '*** Delete File: c.txt',
      '*** End Patch',
    ].join('\n')
    await call('codex', {
      session_id: 's-1',
      hook_event_name: 'PostToolUse',
      tool_name: 'apply_patch',
      tool_input: { command },
      tool_response: 'ok',
    })
    expect(seen('edit')).toMatchObject([
      {
        file_path: join(place.root, 'src/a.ts'),
        edits: [{ old_string: 'keep\nold', new_string: 'keep\nnew' }],
      },
      { file_path: join(place.root, 'b.txt'), edits: [{ old_string: '', new_string: 'hello' }] },
      { file_path: join(place.root, 'c.txt'), edits: [] },
    ])
  })
})

describe('Gemini CLI', () => {
  const send = (hook_event_name: string, more: object = {}) =>
    call('gemini', { session_id: 's-1', hook_event_name, ...more })

  it('rewrites in tool_input', async () => {
    place.user({ preToolUse: [hook('pre', { updated_input: { command: 'ls -a' } })] })
    expect(answer(await call('gemini', SHAPES.gemini.shell('ls')))).toEqual({
      hookSpecificOutput: { hookEventName: 'BeforeTool', tool_input: { command: 'ls -a', description: 'd' } },
    })
  })

  it('translates the folder of a command there and back', async () => {
    place.user({
      beforeShellExecution: [hook('shell')],
      preToolUse: [hook('pre', { updated_input: { cwd: 'lib' } })],
    })
    const tool_input = { command: 'ls', dir_path: 'src' }
    const answered = await send('BeforeTool', { tool_name: 'run_shell_command', tool_input })
    expect(seen('pre')).toMatchObject([{ tool_input: { command: 'ls', cwd: 'src' } }])
    expect(seen('shell')).toMatchObject([{ cwd: join(place.root, 'lib') }])
    expect(answer(answered).hookSpecificOutput.tool_input).toEqual({ command: 'ls', dir_path: 'lib' })
  })

  it('does not hand its key to hooks', async () => {
    place.user({ beforeShellExecution: [{ command: `env > ${place.base}/env` }] })
    const env = { GEMINI_API_KEY: 'secret-1', GOOGLE_API_KEY: 'secret-2', OTHER: 'kept' }
    await call('gemini', SHAPES.gemini.shell('ls'), { env })
    const text = readFileSync(join(place.base, 'env'), 'utf8')
    expect(text).toContain('OTHER=kept')
    expect(text).not.toContain('secret-')
  })

  it('does not read many files past a hook that guards reading', async () => {
    const many = { tool_name: 'read_many_files', tool_input: { include: ['**'] } }
    expect((await send('BeforeTool', many)).stdout).toBe('')
    for (const entry of [{}, { failClosed: false }]) {
      place.user({ beforeReadFile: [hook('read', null, entry)] })
      expect(answer(await send('BeforeTool', many))).toMatchObject({ decision: 'deny' })
    }
  })

  describe('takes one file under many names', () => {
    const called = (tool_name: string, file_path: string, more: object = {}) =>
      send('BeforeTool', { tool_name, tool_input: { file_path, ...more } })
    const shown = (name: string) => seen(name).map(({ file_path }) => file_path)

    it.each([
      'notes.txt',
      '@notes.txt',
      '@/notes.txt',
      '%6eotes.txt',
      'no\0tes.txt',
      '@%6eotes.txt',
      './notes.txt',
    ])('of which hooks see the file itself: %j', async path => {
      const file = place.write('notes.txt', 'line\n')
      place.user({
        preToolUse: [hook('pre')],
        beforeReadFile: [hook('read', { permission: 'deny' })],
      })
      expect(BLOCKS.gemini('BeforeTool', await called('read_file', path))).toBe(true)
      expect(seen('pre')).toMatchObject([{ tool_input: { file_path: file } }])
      expect(seen('read')).toMatchObject([{ file_path: file, content: 'line\n' }])
    })

    it.each([
      ['notes.txt', undefined],
      ['src/../notes.txt', undefined],
      ['@notes.txt', 'notes.txt'],
      ['%6eotes.txt', 'notes.txt'],
      ['100%', '100%25'],
      ['a%2520b', 'a%2520b'],
      ['@', '@'],
      ['@scope/new.ts', '@scope/new.ts'],
      ['@other/new.ts', 'other/new.ts'],
    ])('and %j is normalised where it is not plain', async (path, exact) => {
      place.folder('project/@scope')
      place.user({ beforeReadFile: [hook('read')] })
      const { stdout } = await called('read_file', path, { start_line: 2 })
      const { hookSpecificOutput } = stdout === '' ? { hookSpecificOutput: undefined } : JSON.parse(stdout)
      const file_path = exact && join(place.root, exact)
      expect(hookSpecificOutput?.tool_input).toEqual(file_path && { file_path, start_line: 2 })
      expect(shown('read')).toEqual([join(place.root, decodeURIComponent(exact ?? 'notes.txt'))])
    })

    it('and an edit does not look for another file than hooks have seen', async () => {
      place.write('src/deep.txt', 'x')
      place.user({ preToolUse: [hook('pre')] })
      const edit = { old_string: 'x', new_string: 'y' }
      const file_path = join(place.root, 'deep.txt')
      expect(answer(await called('replace', 'deep.txt', edit)).hookSpecificOutput.tool_input).toEqual({
        file_path,
        ...edit,
      })
      expect((await called('replace', 'src/deep.txt', edit)).stdout).toBe('')
      expect((await called('write_file', 'new.txt', { content: '' })).stdout).toBe('')
    })

    it('and what a hook makes of a path means just that', async () => {
      place.user({
        preToolUse: [hook('pre', { updated_input: { file_path: '@a%20b.txt' } })],
        beforeReadFile: [hook('read')],
      })
      const answered = answer(await called('read_file', 'notes.txt', { end_line: 3 }))
      expect(shown('read')).toEqual([join(place.root, '@a%20b.txt')])
      expect(answered.hookSpecificOutput.tool_input).toEqual({
        file_path: join(place.root, '@a%2520b.txt'),
        end_line: 3,
      })
    })
  })

  it('asks about the files that a person names with @', async () => {
    place.write('.env', 'KEY=1\n')
    place.write('a b.txt', 'fine\n')
    const prompt = (...files: string[]) =>
      [
        'Look.',
        '--- Content from referenced files ---',
        ...files.flatMap(file => [`Content from @${file}:`, 'text']),
        '--- End of content ---',
      ].join('\n')
    place.user({
      beforeSubmitPrompt: [hook('prompt')],
      beforeReadFile: [
        {
          command: `f=$(cat); printf '%s\\n' "$f" >> ${place.base}/read.jsonl; case $f in *KEY=*) echo '{"permission":"deny","user_message":"Not that one."}';; esac`,
        },
      ],
    })
    expect((await send('BeforeAgent', { prompt: prompt('a b.txt') })).stdout).toBe('')
    const answered = await send('BeforeAgent', { prompt: prompt('a b.txt', '.env') })
    expect(BLOCKS.gemini('BeforeAgent', answered)).toBe(true)
    expect(answered.stdout).toContain('Not that one.')
    expect(seen('read').map(({ file_path }) => file_path)).toEqual(
      ['a b.txt', 'a b.txt', '.env'].map(name => join(place.root, name)),
    )
    expect(seen('prompt')[1]).toMatchObject({ prompt: prompt('a b.txt', '.env') })
    await send('BeforeAgent', { prompt: 'What does "Content from @.env:" mean?\nContent from @.env:' })
    expect(seen('read')).toHaveLength(3)
  })

  it('gives subagents their events', async () => {
    place.user({
      subagentStart: [hook('sub', { permission: 'deny' }, { matcher: 'secret' })],
      subagentStop: [hook('end', { followup_message: 'Ask it again.' }, { loop_limit: 1 })],
      postToolUse: [hook('post', { additional_context: 'A note.' })],
    })
    const start = (agent_name: string) =>
      send('BeforeTool', { tool_name: 'invoke_agent', tool_input: { agent_name, prompt: 'do it' } })
    expect(BLOCKS.gemini('BeforeTool', await start('secret'))).toBe(true)
    expect((await start('generalist')).stdout).toBe('')
    expect(seen('sub')).toMatchObject([{ subagent_type: 'secret', task: 'do it' }])
    const ended = (terminateReason: string) =>
      send('AfterTool', {
        tool_name: 'invoke_agent',
        tool_input: { agent_name: 'generalist', prompt: 'do it' },
        tool_response: {
          llmContent: [{ text: 'Subagent finished.' }],
          returnDisplay: { isSubagentProgress: true, state: 'completed', result: 'Done.', terminateReason },
        },
      })
    expect(answer(await ended('GOAL')).hookSpecificOutput).toEqual({
      hookEventName: 'AfterTool',
      additionalContext: 'A note.\n\nAsk it again.',
    })
    expect(answer(await ended('TIMEOUT')).hookSpecificOutput.additionalContext).toBe('A note.')
    const fields = { subagent_type: 'generalist', task: 'do it', summary: 'Done.' }
    expect(seen('end')).toMatchObject([
      { ...fields, status: 'completed' },
      { ...fields, status: 'error' },
    ])
    expect(seen('post')[0]).toMatchObject({ tool_name: 'Task', tool_input: { subagent_type: 'generalist' } })
  })

  it.each([
    ['out\nerr', 'out\nerr\nExit Code: 3', 'out\nerr', 3],
    ['x\nExit Code: 0', 'x\nExit Code: 0\nExit Code: 4', 'x\nExit Code: 0', 4],
    ['Exit Code: 0', 'Exit Code: 0', 'Exit Code: 0', undefined],
    ['', '(empty)', '', undefined],
    ['a', 'a\nSignal: 9', 'a', undefined],
    [[[{ text: 'out   ' }]], 'out\nExit Code: 3\nBackground PIDs: 1, 2', 'out', 3],
    [[[{ text: '   ' }]], '(empty)', '', undefined],
    [undefined, 'Output: out', 'Output: out', undefined],
  ])('tells what a command printed: %j %j', async (returnDisplay, report, output, exit_code) => {
    place.user({ afterShellExecution: [hook('after')] })
    const body = `Output: ${report}\nProcess Group PGID: 77`
    await send('AfterTool', {
      tool_name: 'run_shell_command',
      tool_input: { command: 'make' },
      tool_response: {
        llmContent: `<untrusted_context>\n${body}\n</untrusted_context>`,
        ...(returnDisplay === undefined ? {} : { returnDisplay }),
      },
    })
    expect(seen('after')).toMatchObject([{ command: 'make', output }])
    expect(seen('after')[0]!.exit_code).toBe(exit_code)
  })

  it('tells an edit as it was made', async () => {
    place.user({ afterFileEdit: [hook('edit')] })
    const replaced = (old_string: string, originalContent: string) =>
      send('AfterTool', {
        tool_name: 'replace',
        tool_input: { file_path: 'deep.txt', old_string, new_string: 'new' },
        tool_response: {
          llmContent: 'ok',
          returnDisplay: {
            filePath: join(place.root, 'src/deep.txt'),
            originalContent,
            newContent: '\tnew\n',
          },
        },
      })
    await replaced('old', '\told\n')
    await replaced('  old', '\told\n')
    await send('AfterTool', {
      tool_name: 'replace',
      tool_input: { file_path: 'made.txt', old_string: '', new_string: 'new' },
      tool_response: { llmContent: 'ok', returnDisplay: 'Created made.txt' },
    })
    const file_path = join(place.root, 'src/deep.txt')
    expect(seen('edit')).toMatchObject([
      { file_path, edits: [{ old_string: 'old', new_string: 'new' }] },
      { file_path, edits: [{ old_string: '\told\n', new_string: '\tnew\n' }] },
      { file_path: join(place.root, 'made.txt'), edits: [{ old_string: '', new_string: 'new' }] },
    ])
  })

  it('tells the result of an MCP tool as its server wrote it, and puts another in its place', async () => {
    const content = [{ type: 'text', text: 'masked' }]
    place.user({
      afterMCPExecution: [hook('after')],
      postToolUse: [hook('post', { updated_mcp_tool_output: { content } })],
    })
    const answered = await call('gemini', {
      ...SHAPES.gemini.mcp('x'),
      hook_event_name: 'AfterTool',
      tool_response: {
        llmContent: [
          { text: '<untrusted_context>\nsecret\n</untrusted_context>' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        ],
        returnDisplay: 'secret',
      },
    })
    expect(answer(answered)).toEqual({ decision: 'deny', reason: 'masked' })
    expect(JSON.parse(String(seen('after')[0]!.result_json))).toEqual({
      content: [
        { type: 'text', text: 'secret' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    })
    expect(seen('post')[0]!.tool_output).toBe(seen('after')[0]!.result_json)
  })

  it('ends a session once, however often it is reported', async () => {
    place.user({ sessionStart: [hook('start')], sessionEnd: [hook('end')] })
    const end = () => send('SessionEnd', { reason: 'exit' })
    await send('SessionStart', { source: 'startup' })
    for (let time = 0; time < 3; time++) await end()
    expect(seen('end')).toHaveLength(1)
    await send('SessionStart', { source: 'resume' })
    await end()
    await end()
    expect(seen('start')).toHaveLength(1)
    expect(seen('end')).toHaveLength(2)
  })

  it('continues a turn, and does not count its own follow-up as a message of the user', async () => {
    place.user({ stop: [hook('stop', { followup_message: 'Again.' }, { loop_limit: 2 })] })
    const turn = { prompt: 'run', prompt_response: 'end' }
    expect(answer(await send('AfterAgent', turn))).toEqual({ decision: 'deny', reason: 'Again.' })
    await send('BeforeAgent', { prompt: 'Again.' })
    expect((await send('AfterAgent', turn)).stdout).toContain('Again.')
    await send('BeforeAgent', { prompt: 'Again.' })
    expect((await send('AfterAgent', turn)).stdout).toBe('')
    expect(seen('stop').map(({ loop_count }) => loop_count)).toEqual([0, 1, 2])
  })

  it('tells results and failures', async () => {
    place.user({
      afterFileEdit: [hook('edit')],
      postToolUseFailure: [hook('failed')],
      postToolUse: [hook('post')],
    })
    const file_path = join(place.root, 'a.txt')
    await send('AfterTool', {
      tool_name: 'write_file',
      tool_input: { file_path, content: 'new\n' },
      tool_response: { llmContent: 'ok', returnDisplay: { originalContent: 'old\n', newContent: 'new\n' } },
    })
    await send('AfterTool', {
      tool_name: 'read_file',
      tool_input: { file_path },
      tool_response: { llmContent: 'x', error: { message: 'File not found', type: 'file_not_found' } },
    })
    expect(seen('edit')).toMatchObject([{ edits: [{ old_string: 'old\n', new_string: 'new\n' }] }])
    expect(seen('failed')).toMatchObject([{ tool_name: 'Read', error_message: 'File not found' }])
    expect(seen('post')).toHaveLength(1)
  })
})

describe('Qwen Code', () => {
  const send = (hook_event_name: string, more: object = {}) =>
    call('qwen', { session_id: 's-1', hook_event_name, ...more })
  const report = (output: string, code: number) =>
    `Command: make\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: 77`

  it('does not let a call pass that a hook changed, whatever hook allows or asks', async () => {
    for (const permission of [undefined, 'allow', 'ask']) {
      place.user({ preToolUse: [hook('pre', { permission, updated_input: { command: 'ls -a' } })] })
      const session_id = `session ${permission}`
      const { hookSpecificOutput } = answer(await call('qwen', { ...SHAPES.qwen.shell('ls'), session_id }))
      expect(hookSpecificOutput).toEqual({
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason:
          'A hook requires other arguments for this call. Make it again with these arguments: {"command":"ls -a","description":"d"}',
      })
    }
  })

  it('does not take a turn that goes on for a prompt', async () => {
    place.user({
      beforeSubmitPrompt: [hook('prompt', { continue: false })],
      stop: [hook('stop', { followup_message: 'Again.' }, { loop_limit: 1 })],
    })
    expect((await send('UserPromptSubmit', { prompt: '' })).stdout).toBe('')
    expect((await send('Stop')).stdout).toContain('Again.')
    await send('UserPromptSubmit', { prompt: 'Again.' })
    await send('UserPromptSubmit', { prompt: '' })
    expect((await send('Stop')).stdout).toBe('')
    await send('UserPromptSubmit', { prompt: 'Something else.' })
    expect((await send('Stop')).stdout).toContain('Again.')
    expect(seen('prompt').map(({ prompt }) => prompt)).toEqual(['Again.', 'Something else.'])
  })

  it('asks about the files that a person names with @', async () => {
    place.write('.env', 'KEY=1\n')
    place.user({ beforeReadFile: [hook('read', { permission: 'deny' })] })
    const prompt =
      'See @.env\n--- Content from referenced files ---\nContent from .env:\nKEY=1\n\n--- End of content ---'
    expect(BLOCKS.qwen('UserPromptSubmit', await send('UserPromptSubmit', { prompt }))).toBe(true)
    expect(seen('read')).toMatchObject([{ file_path: join(place.root, '.env'), content: 'KEY=1\n' }])
  })

  it('tells commands that ran and that failed', async () => {
    place.user({ afterShellExecution: [hook('after')], postToolUseFailure: [hook('failed')] })
    const make = { tool_name: 'run_shell_command', tool_input: { command: 'make' }, duration_ms: 7 }
    const shown = 'x\nExit Code: 9'
    await send('PostToolUse', {
      ...make,
      tool_response: { llmContent: report(shown, 0), returnDisplay: shown },
    })
    await send('PostToolUseFailure', { ...make, error: report('no\nExit Code: 0', 3), is_interrupt: false })
    await send('PostToolUseFailure', { ...make, error: 'Command is not allowed.' })
    expect(seen('after')).toMatchObject([
      { command: 'make', output: shown, exit_code: 0, duration: 7 },
      { command: 'make', output: 'no\nExit Code: 0', exit_code: 3, duration: 7 },
    ])
    expect(seen('failed')).toHaveLength(2)
  })

  it('tells an edit as it was made', async () => {
    place.user({ afterFileEdit: [hook('edit')] })
    const file_path = join(place.root, 'a.txt')
    await send('PostToolUse', {
      tool_name: 'write_file',
      tool_input: { file_path, content: 'new\n' },
      tool_response: {
        llmContent: 'ok',
        returnDisplay: { filePath: file_path, originalContent: 'old\n', newContent: 'new\n' },
      },
    })
    expect(seen('edit')).toMatchObject([{ file_path, edits: [{ old_string: 'old\n', new_string: 'new\n' }] }])
  })

  it('puts a new result of an MCP tool in the place of the old one', async () => {
    const content = [{ type: 'text', text: 'masked' }]
    place.user({
      afterMCPExecution: [hook('after')],
      postToolUse: [hook('post', { updated_mcp_tool_output: { content }, additional_context: 'Note.' })],
    })
    const answered = await call('qwen', {
      ...SHAPES.qwen.mcp('x'),
      hook_event_name: 'PostToolUse',
      tool_response: { llmContent: [{ text: 'secret' }], returnDisplay: 'secret' },
    })
    expect(answer(answered)).toEqual({ continue: false, stopReason: 'masked\n\nNote.' })
    expect(seen('after')[0]!.result_json).toBe('{"content":[{"type":"text","text":"secret"}]}')
  })

  it('does not hand its key to hooks', async () => {
    place.user({ beforeShellExecution: [{ command: `env > ${place.base}/env` }] })
    await call('qwen', SHAPES.qwen.shell('ls'), { env: { OPENAI_API_KEY: 'secret-1', OTHER: 'kept' } })
    const text = readFileSync(join(place.base, 'env'), 'utf8')
    expect(text).toContain('OTHER=kept')
    expect(text).not.toContain('secret-')
  })

  it('reports the output of a command and the previous content of a file', async () => {
    place.user({ afterShellExecution: [hook('after')], afterFileEdit: [hook('edit')] })
    const done = (tool_name: string, tool_input: object, tool_response: object) =>
      call('qwen', { session_id: 's', hook_event_name: 'PostToolUse', tool_name, tool_input, tool_response })
    const llmContent = 'Command: make\nOutput: no rule\nExit Code: 2'
    await done('run_shell_command', { command: 'make' }, { llmContent, returnDisplay: 'no rule' })
    const display = { originalContent: 'old\n', newContent: 'new\n' }
    const write = { file_path: '/a.txt', content: 'new\n' }
    await done('write_file', write, { llmContent: 'ok', returnDisplay: display })
    expect(seen('after')).toMatchObject([{ output: 'no rule', exit_code: 2 }])
    expect(seen('edit')).toMatchObject([{ edits: [{ old_string: 'old\n', new_string: 'new\n' }] }])
  })

  it('gets the changed call with its own names, because it cannot be changed there', async () => {
    place.user({ preToolUse: [hook('pre', { updated_input: { limit: 5 } })] })
    const read = (tool_input: object) =>
      call('qwen', { session_id: 's', hook_event_name: 'PreToolUse', tool_name: 'read_file', tool_input })
    const back = async (input: object) => {
      const { permissionDecision, permissionDecisionReason } = answer(await read(input)).hookSpecificOutput
      expect(permissionDecision).toBe('deny')
      return JSON.parse(/arguments: (\{.*\})/.exec(permissionDecisionReason)![1]!)
    }
    expect(await back({ absolute_path: '/a' })).toEqual({ absolute_path: '/a', limit: 5 })
    expect(await back({ file_path: '/a' })).toEqual({ file_path: '/a', limit: 5 })
    expect(seen('pre').map(({ tool_input }) => tool_input)).toEqual([
      { file_path: '/a' },
      { file_path: '/a' },
    ])
  })
})

describe('Copilot CLI', () => {
  const send = (event: string, more: object = {}) =>
    call('copilot', { sessionId: 's-1', timestamp: 1, ...more }, { args: ['--event', event] })

  it('denies the tool calls after a prompt that an older version sends all the same', async () => {
    const { command } = hook('prompt', { continue: false, user_message: 'Secret.' })
    place.user({ beforeSubmitPrompt: [{ command: `grep -q password || exit 0; ${command}` }] })
    await send('userPromptSubmitted', { prompt: 'my password' })
    const tool = () => send('preToolUse', { toolName: 'bash', toolArgs: { command: 'ls' } })
    expect(BLOCKS.copilot('preToolUse', await tool())).toBe(true)
    await send('userPromptSubmitted', { prompt: 'another' })
    expect(BLOCKS.copilot('preToolUse', await tool())).toBe(false)
  })

  it('knows a subagent as a conversation inside another', async () => {
    place.user({
      sessionStart: [hook('start', { env: { COLOR: 'blue' } })],
      beforeSubmitPrompt: [hook('prompt')],
      beforeShellExecution: [
        { command: `echo "$COLOR" > ${place.base}/color; cat > ${place.base}/inside.jsonl` },
      ],
      stop: [hook('stop')],
      subagentStop: [hook('end')],
    })
    await send('sessionStart', { source: 'new' })
    const inside = { sessionId: 'a-1', agentId: 'a-1', agentType: 'explore', parentAgentId: 's-1' }
    await send('userPromptSubmitted', { ...inside, prompt: 'Look around.' })
    await send('preToolUse', { ...inside, toolName: 'bash', toolArgs: { command: 'ls' } })
    await send('agentStop', { ...inside, stopReason: 'end_turn' })
    await send('subagentStop', { ...inside, sessionId: 's-1', agentName: 'explore', response: 'Seen.' })
    expect(readFileSync(join(place.base, 'color'), 'utf8')).toBe('blue\n')
    expect(seen('inside')).toMatchObject([{ conversation_id: 'a-1', parent_conversation_id: 's-1' }])
    expect(seen('prompt')).toEqual([])
    expect(seen('stop')).toEqual([])
    expect(seen('end')).toMatchObject([
      { conversation_id: 'a-1', subagent_type: 'explore', summary: 'Seen.' },
    ])
  })

  it('does not restart the count when a background task has ended', async () => {
    place.user({ stop: [hook('stop', { followup_message: 'Go on.' }, { loop_limit: 2 })] })
    await send('userPromptSubmitted', { prompt: 'Watch.' })
    await send('agentStop')
    await send('userPromptSubmitted', { prompt: '<system_notification>\nIt ended.\n</system_notification>' })
    await send('agentStop')
    expect(seen('stop').map(({ loop_count }) => loop_count)).toEqual([0, 1])
  })

  it('tells commands and failures', async () => {
    place.user({ afterShellExecution: [hook('after')], postToolUseFailure: [hook('failed')] })
    const ran = (textResultForLlm: string) =>
      send('postToolUse', {
        toolName: 'bash',
        toolArgs: { command: 'make' },
        toolResult: { resultType: 'success', textResultForLlm },
      })
    await ran('out\n<shellId: 0 completed with exit code 0>\n<shellId: 1 completed with exit code 4>')
    await ran('\n<shellId: 2 completed with exit code 0>')
    await ran('<command started in background with shellId: 3>')
    await send('postToolUseFailure', { toolName: 'view', toolArgs: { path: '/no' }, error: 'Not there' })
    expect(seen('after')).toMatchObject([
      { output: 'out\n<shellId: 0 completed with exit code 0>', exit_code: 4 },
      { output: '', exit_code: 0 },
      { output: '<command started in background with shellId: 3>' },
    ])
    expect(seen('failed')).toMatchObject([{ tool_name: 'Read', error_message: 'Not there' }])
  })

  it('puts a new result in the place of the old one', async () => {
    const content = [{ type: 'text', text: 'masked' }]
    place.user({
      postToolUse: [hook('post', { updated_mcp_tool_output: { content }, additional_context: 'Note.' })],
    })
    const answered = await send('postToolUse', {
      toolName: 'ev-echo',
      toolArgs: {},
      toolResult: { resultType: 'success', textResultForLlm: 'secret' },
    })
    expect(answer(answered)).toEqual({
      modifiedResult: { resultType: 'success', textResultForLlm: 'masked' },
      additionalContext: 'Note.',
    })
  })

  it('translates keys there and back', async () => {
    place.user({ preToolUse: [hook('pre', { updated_input: { file_path: '/tmp/other' } })] })
    const answered = await call('copilot', SHAPES.copilot.read('/tmp/a'), ofEvent('copilot', 'tool'))
    expect(seen('pre')).toMatchObject([{ tool_name: 'Read', tool_input: { file_path: '/tmp/a' } }])
    expect(answer(answered)).toEqual({ modifiedArgs: { path: '/tmp/other' } })
  })

  it('tells a failure, which is an event of its own', async () => {
    place.user({ postToolUseFailure: [hook('failed')], postToolUse: [hook('post')] })
    await send('postToolUseFailure', { toolName: 'bash', toolArgs: { command: 'make' }, error: 'no rule' })
    expect(seen('failed')).toMatchObject([
      {
        tool_name: 'Shell',
        tool_input: { command: 'make' },
        error_message: 'no rule',
        failure_type: 'error',
      },
    ])
    expect(seen('post')).toEqual([])
  })

  it('knows its other tools that write', async () => {
    place.user({ preToolUse: [hook('pre', { permission: 'deny' }, { matcher: '^Write$' })] })
    for (const toolName of ['apply_patch', 'str_replace_editor']) {
      expect(BLOCKS.copilot('preToolUse', await send('preToolUse', { toolName, toolArgs: {} }))).toBe(true)
    }
  })

  it('reports the last message of a subagent, and its id', async () => {
    place.user({ subagentStop: [hook('end')] })
    const newer = { agentId: 'a1', agentType: 'explore', agentName: 'explore', response: 'Nine.' }
    await send('subagentStop', newer)
    await send('subagentStop', { agentName: 'plan' })
    expect(seen('end')).toMatchObject([
      { conversation_id: 'a1', parent_conversation_id: 's-1', subagent_type: 'explore', summary: 'Nine.' },
      { conversation_id: 's-1', subagent_type: 'plan', summary: '' },
    ])
  })

  it('replaces a result', async () => {
    const content = [{ type: 'text', text: 'masked' }]
    place.user({
      postToolUse: [hook('post', { updated_mcp_tool_output: { content }, additional_context: 'Note.' })],
    })
    const toolResult = { resultType: 'success', textResultForLlm: 'secret' }
    const answered = await send('postToolUse', { toolName: 'ev-echo', toolArgs: {}, toolResult })
    expect(answer(answered)).toEqual({
      modifiedResult: { resultType: 'success', textResultForLlm: 'masked' },
      additionalContext: 'Note.',
    })
  })
})

describe('an agent that goes away', () => {
  it('leaves nothing behind that waits for it', async () => {
    const args = [BIN, 'bridge', 'claude-code', '--home', place.home, '--event', 'PreToolUse']
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    const answered = answeredBy(child)
    // More than a pipe holds: once it is written, the bridge is reading and its handlers are set.
    await new Promise(resolve => child.stdin.write('x'.repeat(4_000_000), resolve))
    child.kill('SIGTERM')
    expect((await answered).exitCode).toBe(143)
  })
})

describe('wrong calls', () => {
  it.each([
    [
      ['bridge'],
      'bridge needs an agent: claude-code, codex, gemini, copilot, qwen, opencode, cline, vscode, antigravity, kiro, droid, goose, devin, windsurf.',
    ],
    [['bridge', 'claude'], 'There is no agent "claude". Did you mean claude-code?'],
  ])('%j', async (argv, text) => {
    const child = spawn(process.execPath, [BIN, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.on('data', chunk => {
      said += String(chunk)
    })
    const code = await new Promise(resolve => child.on('close', resolve))
    expect(said.trim()).toBe(text)
    expect(code).toBe(1)
  })
})

describe('a message that a hook rewrote', () => {
  it.each(AGENTS)('is not sent as it was by %s', async agent => {
    place.user({ beforeSubmitPrompt: [hook('redacts', { updated_prompt: 'key [removed]' })] })
    const options = agent === 'copilot' ? { args: ['--event', SHAPES[agent].prompt] } : {}
    const answered = await call(agent, SHAPES[agent].ask('key 123'), options)
    expect(seen('redacts')).toMatchObject([{ prompt: 'key 123' }])
    expect(BLOCKS[agent](SHAPES[agent].prompt, answered)).toBe(true)
  })
})

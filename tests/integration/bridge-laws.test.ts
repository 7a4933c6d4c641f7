// Laws of every bridge, for random payloads and hooks: a denied call is blocked, and hooks have judged the input that
// runs. A missing required source denies without a process, so it has more runs than a hook that denies.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BRIDGES, findBridge, GATES, runBridge } from '@holdfast/hooks/bridges'
import { EVENT_SPECS, findEvent } from '@holdfast/hooks/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_AGENTS, type AnyAgent, BLOCKS, SHAPES } from '../fixtures/agents.js'
import { Workspace } from '../fixtures/workspace.js'
import { runsEverything } from '../scope.js'

let place: Workspace
let calls = 0
beforeAll(() => {
  place = new Workspace()
  const gates = EVENT_SPECS.filter(({ gate }) => gate !== 'none').map(({ name }) => name)
  place.user(Object.fromEntries(gates.map(name => [name, [{ command: 'exit 2', failClosed: true }]])))
})
afterAll(() => place.close())

/** Real hooks, or a required source that is missing. */
type Denial = 'hooks' | 'required'
const denials: readonly Denial[] = ['required', 'hooks']
const runsOf = (denial: Denial, all: number) => (denial === 'required' || runsEverything ? all : all / 5)

const answered = (agent: AnyAgent, denial: Denial, text: string, event?: string) =>
  runBridge({
    bridge: findBridge(agent)!,
    text,
    event,
    host: () => ({
      workspaceRoots: [place.root],
      home: denial === 'hooks' ? place.home : place.base,
      enterpriseDir: place.enterprise,
      required: denial === 'hooks' ? [] : ['team'],
      watch: false,
    }),
    // Each call has its own state: a blocked session would block all later calls.
    folder: join(place.home, 'memory', String(calls++)),
    signal: new AbortController().signal,
  })

const json = fc.jsonValue({ maxDepth: 3 })
/** A payload of the right shape in which any value may be replaced by any other. */
const bent = (payload: Record<string, unknown>) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(payload), 'cwd', 'agent_id', 'mcp_context'), json, {
      maxKeys: 3,
    })
    .map(changes => ({ ...payload, ...changes }))

describe.each(ALL_AGENTS)('%s', agent => {
  const { tool, prompt, shell, read, mcp, ask } = SHAPES[agent]

  it.each(denials)(
    'blocks every denied call: %s',
    async denial => {
      const payloads = fc
        .oneof(...[shell('ls'), read('/etc/hosts'), mcp('x')].map(bent), fc.dictionary(fc.string(), json))
        .map(payload => JSON.stringify({ hook_event_name: tool, ...payload }))
      const texts = fc.oneof(
        { weight: 5, arbitrary: payloads },
        fc.string(),
        json.map(value => JSON.stringify(value)),
      )
      await fc.assert(
        fc.asyncProperty(texts, async text => {
          const reply = await answered(agent, denial, text, tool)
          expect(BLOCKS[agent](tool, reply), `${text} → ${JSON.stringify(reply)}`).toBe(true)
        }),
        { numRuns: runsOf(denial, 40) },
      )
    },
    60_000,
  )

  it('blocks every denied prompt', async () => {
    const { cannotBlockPrompts, unenforced } = findBridge(agent)!
    const isCopilot = agent === 'copilot'
    if ((cannotBlockPrompts && !isCopilot) || unenforced?.includes('beforeSubmitPrompt')) return
    await fc.assert(
      fc.asyncProperty(bent(ask('hi')), async payload => {
        // In Qwen Code an empty prompt continues a turn.
        fc.pre(agent !== 'qwen' || payload.prompt !== '')
        const reply = await answered(agent, 'hooks', JSON.stringify({ ...payload, hook_event_name: prompt }))
        expect(BLOCKS[agent](prompt, reply), `${JSON.stringify(payload)} → ${JSON.stringify(reply)}`).toBe(
          true,
        )
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  it('blocks the call if its hook is cancelled', async () => {
    const other = new Workspace()
    try {
      other.user({ beforeShellExecution: [{ command: 'sleep 20' }] })
      const reply = await runBridge({
        bridge: findBridge(agent)!,
        text: JSON.stringify({ ...shell('ls'), hook_event_name: tool }),
        host: () => ({
          workspaceRoots: [other.root],
          home: other.home,
          enterpriseDir: other.enterprise,
          watch: false,
        }),
        folder: join(other.home, 'memory'),
        signal: AbortSignal.timeout(150),
      })
      expect(BLOCKS[agent](tool, reply)).toBe(true)
      expect(reply.stdout + reply.stderr).toContain('The hooks took too long.')
    } finally {
      other.close()
    }
  })

  it.each(denials)(
    'responds with one JSON object or nothing: %s',
    async denial => {
      const names = fc.constantFrom(...Object.keys(findBridge(agent)!.names.events))
      await fc.assert(
        fc.asyncProperty(names, bent(shell('ls')), async (hook_event_name, payload) => {
          const { stdout, exitCode } = await answered(
            agent,
            denial,
            JSON.stringify({ ...payload, hook_event_name }),
          )
          // Some agents read exit codes.
          const readsCodes = agent === 'kiro' || agent === 'windsurf'
          expect(exitCode === 0 || (readsCodes && stdout === '')).toBe(true)
          if (stdout !== '') expect(typeof JSON.parse(stdout)).toBe('object')
        }),
        { numRuns: runsOf(denial, 20) },
      )
    },
    60_000,
  )
})

/** A tool call of each agent, the keys that name its target, and the input that the agent reads from a response. */
const TOOLS: Readonly<
  Record<AnyAgent, { name: string; keys: readonly string[]; inputIn(stdout: Loose): Loose; own: Own }[]>
> = {
  'claude-code': [
    {
      name: 'Read',
      keys: ['file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
    {
      name: 'NotebookEdit',
      keys: ['notebook_path', 'file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
  ],
  codex: [
    {
      name: 'view_image',
      keys: ['path', 'file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
  ],
  gemini: [
    {
      name: 'write_file',
      keys: ['file_path'],
      inputIn: out => out.hookSpecificOutput?.tool_input,
      own: 'tool_input',
    },
  ],
  copilot: [
    { name: 'view', keys: ['path', 'file_path'], inputIn: out => out.modifiedArgs, own: 'toolArgs' },
    { name: 'create', keys: ['path', 'file_path'], inputIn: out => out.modifiedArgs, own: 'toolArgs' },
  ],
  qwen: [
    { name: 'read_file', keys: ['absolute_path', 'file_path'], inputIn: () => undefined, own: 'tool_input' },
  ],
  opencode: [
    { name: 'read', keys: ['filePath', 'file_path'], inputIn: out => out.input, own: 'tool_input' },
    { name: 'write', keys: ['filePath', 'file_path'], inputIn: out => out.input, own: 'tool_input' },
  ],
  cline: [
    { name: 'read_files', keys: ['path', 'file_path'], inputIn: out => out.input, own: 'tool_input' },
    { name: 'editor', keys: ['path', 'file_path'], inputIn: out => out.input, own: 'tool_input' },
  ],
  vscode: [
    {
      name: 'read_file',
      keys: ['filePath', 'file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
  ],
  antigravity: [
    {
      name: 'view_file',
      keys: ['AbsolutePath', 'file_path'],
      inputIn: out => out.overwrite,
      own: 'toolCall',
    },
  ],
  kiro: [{ name: 'fs_write', keys: ['path', 'file_path'], inputIn: () => undefined, own: 'tool_input' }],
  droid: [
    {
      name: 'Create',
      keys: ['file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
  ],
  goose: [
    { name: 'developer__write', keys: ['path', 'file_path'], inputIn: () => undefined, own: 'tool_input' },
  ],
  windsurf: [{ name: 'read_code', keys: ['file_path'], inputIn: () => undefined, own: 'tool_info' }],
  devin: [
    {
      name: 'read',
      keys: ['path', 'file_path'],
      inputIn: out => out.hookSpecificOutput?.updatedInput,
      own: 'tool_input',
    },
  ],
}
// biome-ignore lint/suspicious/noExplicitAny: a response of any agent
type Loose = any
type Own = 'tool_input' | 'toolArgs' | 'toolCall' | 'tool_info'

describe.each(ALL_AGENTS)('%s: the input that runs', agent => {
  const { tool } = SHAPES[agent]

  it.each(TOOLS[agent])(
    'of $name was judged by the higher hook',
    async ({ name, keys, inputIn, own }) => {
      const other = new Workspace()
      try {
        // The guard judges the documented key. `/secret` must not run under any key.
        const guard = `case $(cat) in *'"file_path":"/secret"'*) echo '{"permission":"deny"}';; *) echo '{"permission":"allow"}';; esac`
        const reply = join(other.base, 'reply.json')
        other.enterpriseHooks({ preToolUse: [{ command: guard }] })
        other.user({ preToolUse: [{ command: `cat > /dev/null; cat ${reply}` }] })
        const target = fc.constantFrom('/secret', '/plain', '/other')
        const input = fc.dictionary(fc.constantFrom(...keys), target, { minKeys: 1 })
        const rewrite = fc.dictionary(fc.constantFrom(...keys, 'content'), target)
        const permission = fc.constantFrom('allow', 'ask', undefined)
        await fc.assert(
          fc.asyncProperty(input, fc.option(rewrite), permission, async (sent, updated_input, permission) => {
            writeFileSync(reply, JSON.stringify({ permission, ...(updated_input ? { updated_input } : {}) }))
            const nameKey = own === 'toolArgs' ? 'toolName' : 'tool_name'
            const call =
              own === 'toolCall' ? { [own]: { name, args: sent } } : { [nameKey]: name, [own]: sent }
            const text = JSON.stringify({ hook_event_name: tool, session_id: 's', ...call })
            const response = await runBridge({
              bridge: findBridge(agent)!,
              text,
              event: tool,
              host: () => ({
                workspaceRoots: [other.root],
                home: other.home,
                enterpriseDir: other.enterprise,
                watch: false,
              }),
              folder: join(other.home, 'state'),
              signal: new AbortController().signal,
            })
            if (BLOCKS[agent](tool, response)) return
            const out = response.stdout === '' ? {} : JSON.parse(response.stdout)
            const runs: Record<string, unknown> = inputIn(out) ?? sent
            for (const key of keys) expect(runs[key], `${text} → ${response.stdout}`).not.toBe('/secret')
          }),
          {
            numRuns: runsEverything ? 60 : 15,
            examples: [
              [{ [keys[0]!]: '/plain' }, { [keys[0]!]: '/secret' }, 'allow'],
              [{ [keys[0]!]: '/secret', [keys.at(-1)!]: '/plain' }, null, 'allow'],
            ],
          },
        )
      } finally {
        other.close()
      }
    },
    60_000,
  )
})

describe('tables', () => {
  it.each(BRIDGES.map(bridge => [bridge.name, bridge] as const))(
    '%s: every gate is supported or listed as unenforced',
    (_, bridge) => {
      const supported = new Set(Object.values(bridge.names.events).flatMap(kind => GATES[kind] ?? []))
      const does = new Set(Object.values(bridge.names.tools).map(tool => tool.does))
      const { unenforced = [] } = bridge
      if (!does.has('read')) expect(unenforced).toContain('beforeReadFile')
      if (!does.has('task')) expect(unenforced).toContain('subagentStart')
      for (const { name, gate, category } of EVENT_SPECS) {
        // The engine raises permissionRequest itself, before the agent asks the user.
        const isOurs = name === 'permissionRequest' || name === 'sessionStart'
        if (gate === 'none' || category === 'tab' || isOurs) continue
        expect(supported.has(name) || unenforced.includes(name), name).toBe(true)
      }
    },
  )

  it.each(BRIDGES.map(bridge => [bridge.name, bridge] as const))(
    '%s: limitations are sentences, and unenforced events have one',
    (_, { limitations, unenforced = [] }) => {
      for (const text of Object.values(limitations)) expect(text).toMatch(/^[A-Za-z].*\.$/)
      const features = Object.keys(limitations).flatMap(feature => feature.split(', '))
      for (const name of unenforced) {
        expect(findEvent(name), name).toBeDefined()
        expect(features).toContain(name)
      }
    },
  )
})

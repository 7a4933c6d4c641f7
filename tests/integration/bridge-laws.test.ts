// Whatever an agent sends: where the hooks deny, no bridge says anything that the agent takes for a yes. A source that is
// required and missing denies without a process, so that one is tried often; a hook that denies is tried less often in
// `npm test` than in `npm run test:all`.

import { join } from 'node:path'
import { BRIDGES, findBridge, GATES, runBridge } from '@holdfast/hooks/bridges'
import { EVENT_SPECS, findEvent } from '@holdfast/hooks/protocol'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AGENTS, type AgentName, BLOCKS, SHAPES } from '../fixtures/agents.js'
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

const answered = (agent: AgentName, denial: Denial, text: string, event?: string) =>
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
    // A session that was blocked would answer for all that follow.
    folder: join(place.home, 'memory', String(calls++)),
    signal: new AbortController().signal,
  })

const json = fc.jsonValue({ maxDepth: 3 })
/** A payload of the right shape in which anything may be replaced by anything. */
const bent = (payload: Record<string, unknown>) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(payload), 'cwd', 'agent_id', 'mcp_context'), json, {
      maxKeys: 3,
    })
    .map(changes => ({ ...payload, ...changes }))

describe.each(AGENTS)('%s', agent => {
  const { tool, prompt, shell, read, mcp, ask } = SHAPES[agent]

  it.each(denials)(
    'never lets a denied call pass: %s',
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

  it('never lets a denied prompt pass', async () => {
    await fc.assert(
      fc.asyncProperty(bent(ask('hi')), async payload => {
        // There it means that nothing was said.
        fc.pre(agent !== 'qwen' || payload.prompt !== '')
        const reply = await answered(agent, 'hooks', JSON.stringify({ ...payload, hook_event_name: prompt }))
        expect(BLOCKS[agent](prompt, reply), `${JSON.stringify(payload)} → ${JSON.stringify(reply)}`).toBe(
          true,
        )
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  it('does not take a hook that is cut off for a yes', async () => {
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
      expect(reply.stdout).toContain('The hooks took too long.')
    } finally {
      other.close()
    }
  })

  it.each(denials)(
    'answers with one JSON object or nothing: %s',
    async denial => {
      const names = fc.constantFrom(...Object.keys(findBridge(agent)!.names.events))
      await fc.assert(
        fc.asyncProperty(names, bent(shell('ls')), async (hook_event_name, payload) => {
          const { stdout, exitCode } = await answered(
            agent,
            denial,
            JSON.stringify({ ...payload, hook_event_name }),
          )
          expect(exitCode).toBe(0)
          if (stdout !== '') expect(typeof JSON.parse(stdout)).toBe('object')
        }),
        { numRuns: runsOf(denial, 20) },
      )
    },
    60_000,
  )
})

describe('tables', () => {
  it.each(BRIDGES.map(bridge => [bridge.name, bridge] as const))(
    '%s: every gate is carried or named as lost',
    (_, bridge) => {
      const carried = new Set(Object.values(bridge.names.events).flatMap(moment => GATES[moment] ?? []))
      const does = new Set(Object.values(bridge.names.tools).map(tool => tool.does))
      const lost = bridge.losses
        .filter(({ unenforced }) => unenforced)
        .flatMap(({ what }) => what.split(', '))
      if (!does.has('read')) expect(lost).toContain('beforeReadFile')
      if (!does.has('task')) expect(lost).toContain('subagentStart')
      for (const { name, gate, category } of EVENT_SPECS) {
        if (gate === 'none' || category === 'tab' || name === 'sessionStart') continue
        expect(carried.has(name) || lost.includes(name), name).toBe(true)
      }
    },
  )

  it.each(BRIDGES.flatMap(bridge => bridge.losses.map(loss => [bridge.name, loss] as const)))(
    '%s: %o is said in whole sentences',
    (_, { lost, instead, what, unenforced }) => {
      expect(lost).toMatch(/^[A-Z].*\.$/)
      expect(instead).toMatch(/^[A-Za-z].*\.$/)
      if (unenforced) for (const name of what.split(', ')) expect(findEvent(name), name).toBeDefined()
    },
  )
})

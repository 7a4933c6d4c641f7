// Hooks whose deny an agent would not obey, by the agent and the matcher.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHooks } from '@holdfast/hooks'
import { type Bridge, findBridge } from '@holdfast/hooks/bridges'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { WORKSPACE } from '../option-sections.js'
import { workspaceOf } from '../workspace.js'
import { refusedBy } from './refused.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-refused-'))
  for (const name of ['home/.cursor', 'root/.cursor']) mkdirSync(join(folder, name), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function refused(bridge: Bridge, event: string, matcher?: string, where = 'home'): Promise<string[]> {
  const entry = { command: 'true', ...(matcher === undefined ? {} : { matcher }) }
  const text = JSON.stringify({ version: 1, hooks: { [event]: [entry] } })
  for (const each of ['home', 'root']) rmSync(join(folder, each, '.cursor/hooks.json'), { force: true })
  writeFileSync(join(folder, where, '.cursor/hooks.json'), text)
  const given = ['--root', join(folder, 'root'), '--home', join(folder, 'home')]
  const hooks = await openHooks(workspaceOf(parse('install', given, WORKSPACE.options)).host)
  const all = refusedBy(bridge, hooks)
  hooks.close()
  expect(all.every(({ hook }) => hook.event === event)).toBe(true)
  return all.map(({ why }) => why)
}

/** A bridge without limitations, except those of the case. */
function bridge(change: Partial<Bridge> = {}): Bridge {
  const { plainMcpNames: _, onlyTheseTools: __, unenforced: ___, ...rest } = findBridge('codex')!
  return { ...rest, title: 'Agent', limitations: {}, ...change }
}
const TEXT = 'It is not seen. Use another.'

it.each([
  ['preToolUse', 'preToolUse', ['preToolUse'], [TEXT]],
  ['preToolUse', 'stop, preToolUse', ['preToolUse'], [TEXT]],
  ['preToolUse', 'preToolUse', [], []],
  ['preToolUse', 'stop', ['stop'], []],
  // An event without a gate cannot be enforced anyway.
  ['postToolUse', 'postToolUse', ['postToolUse'], []],
] as const)(
  'a hook of %s is refused if the event is not enforced (%#)',
  async (event, feature, unenforced, expected) => {
    // A project hook that is not trusted yet counts too.
    for (const where of ['home', 'root']) {
      const limited = bridge({ limitations: { [feature]: TEXT }, unenforced })
      expect(await refused(limited, event, undefined, where)).toEqual(expected)
    }
  },
)

it.each([
  ['preToolUse', '^MCP:db-query$', true],
  ['preToolUse', 'Shell|MCP:db.query', false],
  ['preToolUse', 'Shell|MCP:db-query', true],
  ['preToolUse', '^MCP:db_query$', false],
  ['preToolUse', '^MCP:', false],
  ['beforeMCPExecution', '^db-query$', true],
  ['beforeMCPExecution', 'db_query', false],
  ['beforeMCPExecution', undefined, false],
  // Its subject is a command, not the name of a tool.
  ['beforeShellExecution', '^git-push$', false],
])('a hook of %s for %s is refused where names are made plain: %s', async (event, matcher, isRefused) => {
  const why = await refused(bridge({ plainMcpNames: true }), event, matcher)
  expect(why).toEqual(
    isRefused
      ? [`Agent calls the MCP tool db-query db_query, which its matcher ${matcher} does not match.`]
      : [],
  )
  expect(await refused(bridge(), event, matcher)).toEqual([])
})

it.each([
  ['preToolUse', '^Grep$', true],
  ['preToolUse', '^(Grep|LS)$', true],
  ['preToolUse', '^(Grep|Shell)$', false],
  ['preToolUse', '^Shell$', false],
  ['preToolUse', '^MCP:Grep$', false],
  ['preToolUse', 'mcp_grep', false],
  ['preToolUse', '^(Grep|MCP:other)$', false],
  ['preToolUse', '^Unheard$', false],
  ['preToolUse', undefined, false],
  ['beforeMCPExecution', '^Grep$', false],
])('a hook of %s for %s is refused where the agent has few tools: %s', async (event, matcher, isRefused) => {
  const why = await refused(bridge({ onlyTheseTools: true }), event, matcher)
  expect(why).toEqual(
    isRefused ? [`Agent has no tool that its matcher ${matcher} matches. It uses commands instead.`] : [],
  )
  expect(await refused(bridge(), event, matcher)).toEqual([])
})

// Agents that are known from their documents: installation byte for byte, what is printed about them, and payloads in the
// documented shapes. The laws of all bridges cover their denials.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BRIDGES, findBridge, runBridge } from '@holdfast/hooks/bridges'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AnyAgent, BLOCKS, SHAPES } from '../fixtures/agents.js'
import { Workspace } from '../fixtures/workspace.js'
import { canBeWarm, runHoldfast, startWarm, type Warm } from '../warm/warm.js'

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

const DOCUMENTED = BRIDGES.filter(({ evidence }) => evidence === 'documented')
const NAMES = DOCUMENTED.map(({ name }) => name as AnyAgent)

const holdfast = (...args: string[]) =>
  runHoldfast(warm, [...args, '--root', place.root, '--home', place.home], {
    cwd: place.root,
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '400' },
  })

/** Settings of the user, with hooks of others. */
const SETTINGS: Readonly<Record<string, string>> = {
  antigravity: '{ "mine" : { "Stop":[ { "command":"true" } ] } }\n',
  droid: '{\n\t"Stop": [ {"hooks":[{"type":"command","command":"true"}]} ] // mine\n}',
}
const FALLBACK =
  '{"a":1,\n  "hooks": { "Stop" : [ {"hooks": [{ "type": "command", "command": "true" }]} ] } }'

describe.each(NAMES)('%s', name => {
  const { config } = findBridge(name)!

  it('is installed and uninstalled byte for byte, and marked as not proven', () => {
    place.user({ beforeShellExecution: [{ command: 'true' }] })
    const file = join(place.home, config.files.user)
    // Kiro has a file for each hook.
    const before = config.ownFile ? undefined : (SETTINGS[name] ?? FALLBACK)
    if (before !== undefined) place.write(file, before)
    const installed = holdfast('install', name, '--accept-loss')
    expect(installed.status, installed.stderr).toBe(0)
    expect(installed.stdout).toContain('Not proven here: made from the documents of')
    expect(readFileSync(file, 'utf8')).toContain(`bridge ${name} --event`)
    expect(holdfast('install', name, '--accept-loss').stdout).toContain('calls holdfast already')
    expect(holdfast('list').stdout).toContain('Not proven here')
    expect(holdfast('doctor', '--no-run').stdout).toContain('Not proven here')
    expect(holdfast('uninstall', name).status).toBe(0)
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(before)
  })
})

const bridge = (name: string, payload: object, event: string) =>
  runBridge({
    bridge: findBridge(name)!,
    text: JSON.stringify({ cwd: place.root, ...payload }),
    event,
    host: () => ({
      workspaceRoots: [place.root],
      home: place.home,
      enterpriseDir: place.enterprise,
      watch: false,
    }),
    folder: join(place.home, 'state'),
    signal: new AbortController().signal,
  })

const denies = (event: string, match: string) =>
  place.user({
    [event]: [
      { command: `grep -q '${match}' && echo '{"permission":"deny"}' || echo '{}'`, failClosed: true },
    ],
  })

describe('documented payloads', () => {
  it.each(NAMES)('of %s: a command reaches beforeShellExecution', async name => {
    denies('beforeShellExecution', 'rm -rf')
    const { tool, shell } = SHAPES[name]
    expect(BLOCKS[name](tool, await bridge(name, shell('rm -rf /'), tool))).toBe(true)
    expect(BLOCKS[name](tool, await bridge(name, shell('ls'), tool))).toBe(false)
  })

  it.each(NAMES)('of %s: a file reaches beforeReadFile', async name => {
    denies('beforeReadFile', 'avocet')
    const { tool, read } = SHAPES[name]
    const [key, plain] = [place.write('key.txt', 'KEY=avocet'), place.write('plain.txt', 'x')]
    expect(BLOCKS[name](tool, await bridge(name, read(key), tool))).toBe(true)
    expect(BLOCKS[name](tool, await bridge(name, read(plain), tool))).toBe(false)
  })

  it('of Kiro without arguments, or with several files, are denied', async () => {
    denies('beforeReadFile', 'nothing')
    const tool = (tool_name: string, tool_input: object) =>
      bridge('kiro', { hook_event_name: 'PreToolUse', tool_name, tool_input }, 'PreToolUse')
    expect(await tool('fs_write', {})).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Kiro did not send the arguments of this call.'),
    })
    const operations = [{ path: 'a' }, { path: 'b' }]
    expect(await tool('fs_read', { operations })).toMatchObject({ exitCode: 2, stdout: '' })
  })

  it.each<[string, object]>([
    ['execute_bash', { command: 'rm -rf /', operations: [{ command: 'ls' }] }],
    ['fs_read', { path: 'plain.txt', operations: [{ path: 'rm -rf' }, { path: 'b' }] }],
    ['fs_read', { path: 'rm -rf', operations: [{ path: 'plain.txt' }] }],
  ])('of Kiro: a list beside other arguments hides none of them (%s %j)', async (tool_name, tool_input) => {
    denies('preToolUse', 'rm -rf')
    denies('beforeReadFile', 'rm -rf')
    const payload = { hook_event_name: 'PreToolUse', tool_name, tool_input }
    expect(BLOCKS.kiro('PreToolUse', await bridge('kiro', payload, 'PreToolUse'))).toBe(true)
  })

  it('of Kiro: the context of a session is plain text', async () => {
    place.user({ sessionStart: [{ command: `echo '{"additional_context":"Mind the gap."}'` }] })
    const start = { hook_event_name: 'SessionStart', session_id: 's' }
    expect(await bridge('kiro', start, 'SessionStart')).toMatchObject({ stdout: 'Mind the gap.\n' })
  })

  it.each([
    ['goose', { decision: 'block' }],
    ['kiro', undefined],
    ['windsurf', undefined],
  ] as const)('of %s: a call that a hook rewrote is denied with the rewritten one', async (name, answer) => {
    place.user({ preToolUse: [{ command: `echo '{"updated_input":{"command":"ls"}}'` }] })
    const { tool, shell } = SHAPES[name]
    const answered = await bridge(name, shell('rm x'), tool)
    expect(BLOCKS[name](tool, answered)).toBe(true)
    expect(answered.stdout + answered.stderr).toContain('with these arguments:')
    if (answer) expect(JSON.parse(answered.stdout)).toMatchObject(answer)
  })
})

describe('an agent that runs the entries of another', () => {
  it.each([
    ['claude-code', 'PreToolUse'],
    ['copilot', 'preToolUse'],
  ])('VS Code, those of %s: reads a deny in its own form', async (name, event) => {
    denies('beforeShellExecution', 'rm -rf')
    const { tool, shell } = SHAPES.vscode
    expect(BLOCKS.vscode(tool, await bridge(name, shell('rm -rf /'), event))).toBe(true)
    expect(BLOCKS.vscode(tool, await bridge(name, shell('ls'), event))).toBe(false)
  })

  it('Devin, those of Claude Code: its names of tools are known', async () => {
    denies('beforeShellExecution', 'rm -rf')
    const { tool, shell } = SHAPES.devin
    process.env.DEVIN_PROJECT_DIR = place.root
    try {
      const answered = await bridge('claude-code', shell('rm -rf /'), tool)
      expect(BLOCKS.devin(tool, answered)).toBe(true)
    } finally {
      delete process.env.DEVIN_PROJECT_DIR
    }
  })

  it.each(['Bash', 'Monitor', 'PowerShell'])(
    'Claude Code with the variable of Devin, which a repository can set, stays Claude Code: %s',
    async tool_name => {
      denies('beforeShellExecution', 'rm -rf')
      const payload = { hook_event_name: 'PreToolUse', tool_name, tool_input: { command: 'rm -rf /' } }
      process.env.DEVIN_PROJECT_DIR = place.root
      try {
        const answered = await bridge('claude-code', payload, 'PreToolUse')
        expect(answered.stdout).toContain('"permissionDecision":"deny"')
      } finally {
        delete process.env.DEVIN_PROJECT_DIR
      }
    },
  )
})

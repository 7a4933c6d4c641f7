import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findBridge } from '@holdfast/hooks/bridges'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from '../arguments.js'
import { WORKSPACE } from '../option-sections.js'
import { workspaceOf } from '../workspace.js'
import { activeSwitches } from './off-switches.js'
import { type InstallLevel, placeAt } from './place.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-switches-'))
  for (const name of ['home', 'root']) mkdirSync(join(folder, name))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function active(agent: string, path: string, text: string, level: InstallLevel = 'user'): string[] {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  const given = ['--root', join(folder, 'root'), '--home', join(folder, 'home')]
  const workspace = workspaceOf(parse('doctor', given, WORKSPACE.options))
  const all = activeSwitches(placeAt(findBridge(agent)!, level, workspace)!, workspace)
  expect(all.every(one => one.file === file)).toBe(true)
  return all.map(({ offSwitch }) => offSwitch.name)
}

const DISABLED = '"disableAllHooks": true'

it.each([
  ['claude-code', 'root/.claude/settings.json', '{ "disableAllHooks": true } // x', DISABLED],
  ['claude-code', 'root/.claude/settings.local.json', '{"disableAllHooks":true}', DISABLED],
  ['claude-code', 'home/.claude/settings.json', '{"disableAllHooks":true}', DISABLED],
  ['copilot', 'root/.claude/settings.json', '{"disableAllHooks":true}', DISABLED],
  ['qwen', 'root/.qwen/settings.json', '{"disableAllHooks":true}', DISABLED],
  ['gemini', 'root/.gemini/settings.json', '{"hooks":null}', '"hooks": null'],
  [
    'gemini',
    'home/.gemini/settings.json',
    '{"hooksConfig":{"enabled":false}}',
    '"hooksConfig": { "enabled": false }',
  ],
  ['codex', 'home/.codex/config.toml', '[features]\nhooks = false # x\n', 'hooks = false under [features]'],
  ['codex', 'root/.codex/config.toml', 'features.hooks=false\n', 'hooks = false under [features]'],
  [
    'codex',
    'root/.codex/config.toml',
    'features = { a = true, hooks = false }',
    'hooks = false under [features]',
  ],
  ['claude-code', 'root/.claude/settings.json', '{"env":{"A":"1","NODE_OPTIONS":"-r x"}}', '"env" with PATH'],
  [
    'claude-code',
    'root/.claude/settings.local.json',
    '{"env":{"CLAUDE_CODE_SHELL_PREFIX":"x"}}',
    '"env" with',
  ],
  ['gemini', 'root/.env', 'A=1\n export NODE_OPTIONS = -r x\n', '.env with PATH'],
  ['gemini', 'root/.gemini/.env', 'LD_PRELOAD=x.so', '.env with PATH'],
])('finds what turns the hooks of %s off in %s: %s', (agent, path, text, name) => {
  expect(active(agent, path, text)).toEqual([expect.stringContaining(name)])
})

it.each([
  ['claude-code', 'root/.claude/settings.json', '{"disableAllHooks":false}'],
  ['claude-code', 'root/.claude/settings.json', '{"disableAllHooks":true'],
  ['claude-code', 'root/.claude/settings.json', ''],
  ['claude-code', 'root/.claude/settings.json', '{"env":{"MY_PATH":"1"}}'],
  ['claude-code', 'root/.claude/settings.json', '{"env":null}'],
  ['gemini', 'root/.env', 'MY_PATH=1\n# PATH=2\n'],
  ['gemini', 'root/.gemini/settings.json', '{"hooks":{}}'],
  ['codex', 'home/.codex/config.toml', '[features]\nhooks = true\n[other]\nhooks = false\n'],
  ['codex', 'home/.codex/config.toml', '[features]\n# hooks = false\nmy_hooks = false\n'],
])('finds nothing for %s in %s: %s', (agent, path, text) => {
  expect(active(agent, path, text)).toEqual([])
})

it('does not count settings that cannot turn off the entries of the machine', () => {
  const text = '{"disableAllHooks":true}'
  expect(active('claude-code', 'root/.claude/settings.json', text, 'managed')).toEqual([])
})

it('counts an environment that can replace the entries of the machine, too', () => {
  const text = '{"env":{"PATH":"x"}}'
  expect(active('claude-code', 'root/.claude/settings.json', text, 'managed')).toHaveLength(1)
})

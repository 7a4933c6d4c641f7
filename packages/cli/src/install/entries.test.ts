import { spawnSync } from 'node:child_process'
import { BRIDGES, findBridge } from '@holdfast/hooks/bridges'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { commandsIn, entriesFor, entriesIn, isOurs, newFile, withOnly, withoutOurs } from './entries.js'

const wanted = (name: string, program = ['holdfast'], more: object = {}) => {
  const events = Object.keys(findBridge(name)!.names.events)
  return { program, events, required: [] as string[], isShared: false, ...more }
}
const entries = (name: string, program?: string[], more?: object) =>
  entriesFor(findBridge(name)!, wanted(name, program, more))
const put = (text: string, name = 'claude-code') => withOnly('f', text, entries(name), findBridge(name)!).text
const out = (text: string, name = 'claude-code') => withoutOurs('f', text, findBridge(name)!)

const TEXTS = [
  '{}',
  '{ "hooks": {} }',
  '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [] }\n    ]\n  }\n}\n',
  '{\n\t// mine\n\t"model": "x", // here\n\t"hooks": { "Stop": [ /* one */ { "hooks": [ { "type": "command", "command": "a" } ] } /* end */ ] }\n}',
  '{\r\n  "hooks": {\r\n    "Stop": [\r\n    ],\r\n    "Other": [],\r\n  },\r\n}\r\n',
  '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}],"Notification":[]},"a":1}',
]

describe('entries', () => {
  const JSON_BRIDGES = BRIDGES.filter(({ config }) => !config.ownFile)
  it.each(JSON_BRIDGES.map(({ name }) => name))('of %s go in once and out again', name => {
    const text = put(newFile('f', findBridge(name)!), name)
    expect(put(text, name)).toBe(text)
    expect(entriesIn('f', text, findBridge(name)!)).toEqual(entries(name))
    const { hooksKey = ['hooks'] } = findBridge(name)!.config
    const hooksIn = (text: string) => hooksKey.reduce((node, key) => node[key], parse(text))
    expect(Object.keys(hooksIn(text))).toEqual(Object.keys(findBridge(name)!.names.events))
    expect(hooksIn(out(text, name)!)).toEqual({})
    for (const other of JSON_BRIDGES) if (other.name !== name) expect(out(text, other.name)).toBeUndefined()
  })

  it.each(TEXTS)('leave the rest as it is: %j', text => {
    const back = out(put(text))!
    const { hooks = {}, ...rest } = parse(text)
    const { hooks: hooksBack = {}, ...restBack } = parse(back)
    expect(restBack).toEqual(rest)
    // A list that was empty went with our entry in it.
    const full = Object.entries(hooks).filter(
      ([event, list]) => (list as []).length > 0 || event in hooksBack,
    )
    expect(hooksBack).toEqual(Object.fromEntries(full))
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(back).toContain(comment)
  })

  it('take out only our hook where somebody put another beside it', () => {
    const ours = '{ "type": "command", "command": "holdfast bridge claude-code --event Stop" }'
    const text = `{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "a" }, ${ours}] }] } }`
    expect(out(text)).toBe('{ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "a" }] }] } }')
  })

  it('are known by their program, not by what they look like', () => {
    const bridge = findBridge('claude-code')!
    expect(
      isOurs({ command: "'/usr/bin/node' '/opt/holdfast.cjs' bridge claude-code --event Stop" }, bridge),
    ).toBe(true)
    expect(isOurs({ command: 'echo bridge claude-code' }, bridge)).toBe(false)
    expect(isOurs({ command: 'holdfast bridge codex --event Stop' }, bridge)).toBe(false)
    expect(isOurs({ command: 'holdfast bridge claude-codex --event Stop' }, bridge)).toBe(false)
    expect(isOurs('holdfast bridge claude-code', bridge)).toBe(false)
    expect(isOurs(null, bridge)).toBe(false)
  })

  it('quote a program that lies somewhere odd', () => {
    const [first] = entries('copilot', ["/opt/it's here/node", '/x/holdfast.cjs'])
    expect(first!.entry.bash).toMatch(/^'\/opt\/it'\\''s here\/node' \/x\/holdfast\.cjs bridge copilot /)
    expect(first!.entry.powershell).toMatch(/^& '\/opt\/it''s here\/node' \/x\/holdfast\.cjs bridge copilot /)
  })

  it('block when the command cannot be started, where that matters', () => {
    const of = (event: string) => entries('copilot').find(one => one.event === event)!.entry
    expect(of('preToolUse').bash).toMatch(/ \|\| exit 2$/)
    expect(of('preToolUse').powershell).toMatch(
      /; if \(\$LASTEXITCODE -ne 0\) \{ \[Console\]::Error\.WriteLine\('.+'\); exit 2 \}$/,
    )
    expect(of('agentStop').bash).not.toContain('exit')
    // A prompt is stopped there by words only.
    expect(of('userPromptSubmitted').bash).toMatch(/ \|\| echo '\{"decision":"block",.*\}'$/)
    expect(of('userPromptSubmitted').powershell).toMatch(/; if \(\$LASTEXITCODE -ne 0\) \{ echo '.*' \}$/)
  })

  it('block in Claude Code after a time-out, and nowhere else', () => {
    const blocks = entries('claude-code').filter(({ entry }) => JSON.stringify(entry).includes('onFailure'))
    expect(blocks.map(({ event }) => event)).toEqual(['UserPromptSubmit', 'PreToolUse', 'ConfigChange'])
  })

  it('name the sources that must be intact', () => {
    const [first] = entries('gemini', ['holdfast'], { required: ['team', 'user'] })
    expect(commandsIn(first!.entry)).toEqual([
      'holdfast bridge gemini --event SessionStart --required team,user',
    ])
  })

  it.each(BRIDGES.map(({ name }) => name))('of %s in a shared file say how to install holdfast', name => {
    const shared = entries(name, ['holdfast'], { isShared: true })
    const kinds = findBridge(name)!.names.events
    for (const { event, entry } of shared) {
      if (kinds[event] !== 'tool' && kinds[event] !== 'prompt') continue
      const [command] = commandsIn(entry)
      const { stdout, stderr, status } = shell(command!)
      expect(stdout + stderr).toContain('npm install --global holdfast')
      // Copilot blocks a prompt by JSON, Antigravity everything.
      const isJson = name === 'antigravity' || (name === 'copilot' && kinds[event] === 'prompt')
      expect(status).toBe(isJson ? 0 : 2)
      if (isJson) expect(JSON.parse(stdout)).toMatchObject({ decision: expect.stringMatching('block|deny') })
    }
  })
})

/** With a PATH that has no programs. */
function shell(command: string): { stdout: string; stderr: string; status: number } {
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', command], {
    env: { PATH: '' },
    encoding: 'utf8',
  })
  return { stdout, stderr, status: status ?? -1 }
}

describe('entries in a program', () => {
  const opencode = findBridge('opencode')!

  it('are a line of it', () => {
    const { text } = withOnly('p.js', '', entries('opencode'), opencode)
    expect(entriesIn('p.js', text, opencode)).toEqual(entries('opencode'))
    expect(withOnly('p.js', text, entries('opencode'), opencode).text).toBe(text)
    expect(withoutOurs('p.js', text, opencode)).toBe('')
  })

  it('differ in a program of an earlier version', () => {
    const text = withOnly('p.js', '', entries('opencode'), opencode).text.replace('spawnSync', 'before')
    const found = entriesIn('p.js', text, opencode)
    expect(found.map(({ event }) => event)).toEqual(entries('opencode').map(({ event }) => event))
    expect(found).not.toEqual(entries('opencode'))
  })

  it('are none of a program that holdfast did not write', () => {
    const text = 'export const Mine = async () => ({})\n'
    expect(entriesIn('p.js', text, opencode)).toEqual([])
    expect(withoutOurs('p.js', text, opencode)).toBeUndefined()
    expect(() => withOnly('p.js', text, entries('opencode'), opencode)).toThrow('p.js is not from holdfast.')
  })
})

describe('entries in TOML', () => {
  const codex = findBridge('codex')!
  const texts = [
    '',
    'allow_managed_hooks_only = true\n',
    '[features]\nhooks = true',
    '# mine\n[rules]\na = "#"\n',
  ]

  it.each(texts)('go in once and out again: %j', text => {
    const { text: after } = withOnly('r.toml', text, entries('codex'), codex)
    expect(after.startsWith(text)).toBe(true)
    expect(entriesIn('r.toml', after, codex)).toEqual(entries('codex'))
    expect(withOnly('r.toml', after, entries('codex'), codex).text).toBe(after)
    expect(withoutOurs('r.toml', after, codex)?.trimEnd()).toBe(text.trimEnd())
    expect(withoutOurs('r.toml', text, codex)).toBeUndefined()
  })

  it('stay between what others add before and after', () => {
    const { text } = withOnly('r.toml', 'a = 1\n', entries('codex'), codex)
    expect(withoutOurs('r.toml', `b = 2\n${text}[c]\nd = 3\n`, codex)).toBe('b = 2\na = 1\n[c]\nd = 3\n')
  })

  it('are not added where TOML does not allow it', () => {
    expect(() => withOnly('r.toml', 'hooks = { managed_dir = "/x" }\n', entries('codex'), codex)).toThrow(
      'r.toml has "hooks" as an inline table.',
    )
    expect(() => withOnly('r.toml', '[features]\na = true\n', entries('codex'), codex)).toThrow(
      'r.toml has [features] without "hooks = true"',
    )
  })
})

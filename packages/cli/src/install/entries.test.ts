import { BRIDGES, findBridge } from '@holdfast/hooks/bridges'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { withEntries } from '../init/hooks-file.js'
import { entriesFor, isOurs, newFile, oursIn, withoutEntries } from './entries.js'

const put = (text: string, name = 'claude-code') => {
  const bridge = findBridge(name)!
  return withEntries('f', text, entriesFor(bridge, ['holdfast']), item => isOurs(item, bridge)).text
}
const out = (text: string, name = 'claude-code') => withoutEntries('f', text, oursIn(findBridge(name)!))

const TEXTS = [
  '{}',
  '{ "hooks": {} }',
  '{\n  "hooks": {\n    "PreToolUse": [\n      { "matcher": "Bash", "hooks": [] }\n    ]\n  }\n}\n',
  '{\n\t// mine\n\t"model": "x", // here\n\t"hooks": { "Stop": [ /* one */ { "hooks": [ { "type": "command", "command": "a" } ] } /* end */ ] }\n}',
  '{\r\n  "hooks": {\r\n    "Stop": [\r\n    ],\r\n    "Other": [],\r\n  },\r\n}\r\n',
  '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}],"Notification":[]},"a":1}',
]

describe('entries', () => {
  it.each(BRIDGES.map(({ name }) => name))('of %s go in once and out again', name => {
    const text = put(newFile(findBridge(name)!), name)
    expect(put(text, name)).toBe(text)
    expect(Object.keys(parse(text).hooks)).toEqual(Object.keys(findBridge(name)!.names.events))
    expect(parse(out(text, name)!).hooks).toEqual({})
    for (const other of BRIDGES) if (other.name !== name) expect(out(text, other.name)).toBeUndefined()
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
    const [first] = entriesFor(findBridge('copilot')!, ["/opt/it's here/node", '/x/holdfast.cjs'])
    expect(first!.entry.bash).toMatch(/^'\/opt\/it'\\''s here\/node' \/x\/holdfast\.cjs bridge copilot /)
  })

  it('block when the command cannot be started, where that matters', () => {
    const entries = entriesFor(findBridge('copilot')!, ['holdfast'])
    const of = (event: string) => entries.find(one => one.event === event)!.entry
    expect(of('preToolUse').bash).toMatch(/ \|\| exit 2$/)
    expect(of('preToolUse').powershell).toMatch(/; if \(\$LASTEXITCODE -ne 0\) \{ exit 2 \}$/)
    expect(of('agentStop').bash).not.toContain('exit')
    // A prompt is stopped there by words only.
    expect(of('userPromptSubmitted').bash).toMatch(/ \|\| echo '\{"decision":"block",.*\}'$/)
    expect(of('userPromptSubmitted').powershell).toMatch(/; if \(\$LASTEXITCODE -ne 0\) \{ echo '.*' \}$/)
  })
})

import { describe, expect, test } from 'vitest'
import type { HookDefinition } from '../protocol/config.js'
import { cleanUp, codes, hooksOf, layerOf, sandbox } from './testing/sandbox.js'

cleanUp()

const settings = (hooks: unknown, more: object = {}) => ({ ...more, hooks })
const group = (command = 'true', matcher?: string) => ({ matcher, hooks: [{ type: 'command', command }] })

const load = async (content: unknown) => {
  const box = sandbox()
  box.write('project/.claude/settings.json', content)
  return layerOf(await box.discover({ claude: true }), 'claude-project')
}

describe('Claude settings', () => {
  test('are read only when the host wants it', async () => {
    const box = sandbox()
    box.write('project/.claude/settings.json', settings({ Stop: [group()] }))
    expect(hooksOf(await box.discover({ claude: false }))).toEqual([])
    expect(hooksOf(await box.discover({ claude: true }))).toHaveLength(1)
  })

  test('from three files, in order, each with its folder', async () => {
    const box = sandbox()
    box.write('home/.claude/settings.json', settings({ Stop: [group('c')] }))
    box.write('project/.claude/settings.json', settings({ Stop: [group('b')] }))
    box.write('project/.claude/settings.local.json', settings({ Stop: [group('a')] }))
    const catalog = await box.discover({ claude: true, trustAll: false })
    expect(
      catalog.byEvent.get('stop')?.map(hook => [hook.source, hook.command, hook.cwd, hook.trusted]),
    ).toEqual([
      ['claude-local', 'a', box.root, false],
      ['claude-project', 'b', box.root, false],
      ['claude-user', 'c', box.root, true],
    ])
  })

  test('need a trust of their own: the same entry in hooks.json receives another payload', async () => {
    const box = sandbox()
    const entry = { type: 'command', command: 'true', timeout: 60 }
    box.hooks({ hooks: { stop: [{ ...entry, loop_limit: null }] } })
    box.write('project/.claude/settings.json', settings({ Stop: [{ hooks: [entry] }] }))
    const [own, claude] = hooksOf(await box.discover({ claude: true, trustAll: false }))
    const ofEntry = ({ command, timeoutMs, loopLimit, matcher }: HookDefinition) =>
      [command, timeoutMs, loopLimit, matcher.kind] as const
    expect(ofEntry(own!)).toEqual(ofEntry(claude!))
    expect(own!.fingerprint).not.toBe(claude!.fingerprint)
  })

  test('the names of events and tools are translated', async () => {
    const names = [
      'PreToolUse',
      'PostToolUse',
      'UserPromptSubmit',
      'Stop',
      'SubagentStop',
      'SessionStart',
      'SessionEnd',
      'PreCompact',
    ]
    const layer = await load(
      settings(Object.fromEntries(names.map(name => [name, [group('true', 'Bash')]])), { model: 'x' }),
    )
    expect(layer.issues).toEqual([])
    expect(layer.hooks.map(hook => [hook.event, hook.matcher.kind])).toEqual([
      ['preToolUse', 'regex'],
      ['postToolUse', 'regex'],
      ['beforeSubmitPrompt', 'all'],
      ['stop', 'all'],
      ['subagentStop', 'all'],
      ['sessionStart', 'never'],
      ['sessionEnd', 'all'],
      ['preCompact', 'plain'],
    ])
    expect(layer.hooks[0]).toMatchObject({
      dialect: 'claude',
      loopLimit: null,
      timeoutMs: 60_000,
      path: 'hooks.PreToolUse[0].hooks[0]',
      matcher: { text: '^(?:Shell)$' },
    })
  })

  test('several hooks in a group, timeouts in seconds, prompts', async () => {
    const layer = await load(
      settings({
        Stop: [
          {
            hooks: [
              { type: 'command', command: 'a', timeout: 5, statusMessage: 'x' },
              { type: 'prompt', prompt: 'b', model: 'm' },
            ],
          },
        ],
      }),
    )
    expect(layer.issues).toEqual([])
    expect(layer.hooks).toMatchObject([
      { timeoutMs: 5000 },
      { type: 'prompt', model: 'm', timeoutMs: 30_000 },
    ])
  })

  test('events without a counterpart are skipped one by one', async () => {
    const layer = await load(
      settings({ Notification: [group()], PermissionRequest: [group()], Stop: [group()] }),
    )
    expect(layer.hooks).toHaveLength(1)
    expect(layer.issues).toMatchObject([
      { code: 'config/claude-event', severity: 'warning', path: 'hooks.Notification' },
      { code: 'config/claude-event', path: 'hooks.PermissionRequest' },
    ])
    expect(layer.dropped).toBe(0)
  })

  test('settings without hooks are loaded', async () => {
    expect(await load({ permissions: {}, env: {} })).toMatchObject({ state: 'loaded', hooks: [], issues: [] })
  })

  test.each([
    [{ hooks: [] }, 'config/no-hooks', 1],
    [settings({ Stop: {} }), 'config/bad-event', 1],
    [settings({ Stop: [3] }), 'config/bad-entry', 1],
    [settings({ Stop: [{ command: 'flat' }] }), 'config/bad-entry', 1],
    [settings({ Stop: [{ hooks: [3] }] }), 'config/bad-entry', 1],
    [settings({ Stop: [{ hooks: [{ type: 'command' }] }] }), 'config/bad-entry', 1],
    [settings({ Stop: [{ hooks: [{ type: 'http', url: 'x' }] }] }), 'config/bad-field', 1],
    [
      settings({ PreToolUse: [{ matcher: 3, hooks: [{ command: 'a' }, { command: 'b' }] }] }),
      'config/bad-field',
      2,
    ],
    [settings({ PreToolUse: [{ matcher: 3, hooks: [] }] }), 'config/bad-field', 1],
  ])('%j is reported', async (content, code, dropped) => {
    const layer = await load(content)
    expect(layer).toMatchObject({ hooks: [], dropped })
    expect(layer.issues).toMatchObject([{ code, severity: 'error' }])
  })

  test('the hooks of a repeated event all run', async () => {
    const layer = await load(
      '{"hooks":{"Stop":[{"hooks":[{"command":"a"}]}],"Stop":[{"hooks":[{"command":"b"}]}]}}',
    )
    expect(layer.hooks.map(hook => hook.command)).toEqual(['a', 'b'])
    expect(codes(layer.issues)).toEqual(['config/duplicate-key'])
  })

  test('a bad matcher stays, as invalid', async () => {
    const layer = await load(settings({ PreToolUse: [group('true', 'Bash(')] }))
    expect(layer.hooks[0]?.matcher.kind).toBe('invalid')
    expect(codes(layer.issues)).toEqual(['config/bad-matcher'])
  })

  test('a file that is no object fails', async () => {
    expect(await load('[]')).toMatchObject({ state: 'failed', issues: [{ code: 'config/not-object' }] })
    expect(await load('{')).toMatchObject({ state: 'failed', issues: [{ code: 'config/syntax' }] })
  })
})

describe('fields that only Claude Code has', () => {
  const one = async (hook: object) =>
    load(settings({ PreToolUse: [{ hooks: [{ type: 'command', command: './guard.sh', ...hook }] }] }))

  test.each([
    ['async', true],
    ['asyncRewake', true],
    ['once', true],
    ['if', 'Bash(git *)'],
    ['shell', 'powershell'],
  ])('%s is refused by its name', async (key, value) => {
    const layer = await one({ [key]: value })
    expect(layer.hooks).toEqual([])
    expect(codes(layer.issues)).toEqual(['config/bad-entry'])
    expect(layer.issues[0]!.message).toContain(`"${key}" is not supported here`)
  })

  test.each([
    ['agent', { prompt: 'x' }],
    ['mcp_tool', { server: 's', tool: 't' }],
  ])('the type %s is refused by its name', async (type, more) => {
    const layer = await load(settings({ PreToolUse: [{ hooks: [{ type, ...more }] }] }))
    expect(layer.hooks).toEqual([])
    expect(layer.issues[0]!.message).toContain(`"${type}"`)
  })

  test('async and once with false are the default', async () => {
    expect((await one({ async: false, once: false, statusMessage: 'x' })).hooks).toHaveLength(1)
  })

  test('http hooks load, with the variables that they may use', async () => {
    const http = (more: object) =>
      load(settings({ PreToolUse: [{ hooks: [{ type: 'http', url: 'http://localhost/', ...more }] }] }))
    expect((await http({})).hooks).toMatchObject([{ type: 'http', url: 'http://localhost/' }])
    const headers = { Authorization: 'Bearer $TOKEN' }
    expect((await http({ headers, allowedEnvVars: ['TOKEN'] })).hooks).toMatchObject([{ headers }])
    const layer = await http({ headers, allowedEnvVars: ['OTHER'] })
    expect([layer.hooks, codes(layer.issues)]).toEqual([[], ['config/bad-entry']])
  })

  test('args are words of the command', async () => {
    expect((await one({ args: ['a b', '$HOME'] })).hooks).toMatchObject([
      { command: "./guard.sh 'a b' '$HOME'" },
    ])
    const layer = await one({ args: 'x' })
    expect([layer.hooks, codes(layer.issues)]).toEqual([[], ['config/bad-entry']])
  })

  test('onFailure block is failClosed', async () => {
    expect((await one({ onFailure: 'block' })).hooks).toMatchObject([{ failClosed: true }])
    expect((await one({ onFailure: 'continue' })).hooks[0]!.failClosed).not.toBe(true)
  })
})

import { describe, expect, test } from 'vitest'
import { cleanUp, codes, layerOf, sandbox } from './testing/sandbox.js'

cleanUp()

const load = async (entry: unknown, event = 'preToolUse') => {
  const box = sandbox()
  box.hooks({ hooks: { [event]: [entry] } })
  return layerOf(await box.discover())
}

describe('defaults', () => {
  test('of a command', async () => {
    const [hook] = (await load({ command: 'true' })).hooks
    expect(hook).toMatchObject({
      type: 'command',
      name: 'true',
      timeoutMs: 60_000,
      loopLimit: 5,
      dialect: 'native',
    })
    expect(hook?.matcher).toEqual({ kind: 'all' })
    expect('failClosed' in (hook ?? {})).toBe(false)
  })

  test('of a prompt', async () => {
    const { hooks, issues } = await load({ type: 'prompt', prompt: 'Is\n this ok?', model: 'fast' })
    expect(hooks).toMatchObject([{ type: 'prompt', name: 'Is this ok?', timeoutMs: 30_000, model: 'fast' }])
    expect(issues).toEqual([])
  })

  test('what is written counts', async () => {
    const { hooks } = await load(
      { command: 'true', timeout: 0.5, loop_limit: null, failClosed: false },
      'stop',
    )
    expect(hooks).toMatchObject([{ timeoutMs: 500, loopLimit: null, failClosed: false }])
  })

  test('a timeout beyond what a timer can count', async () => {
    expect((await load({ command: 'true', timeout: 1e300 })).hooks[0]?.timeoutMs).toBe(2 ** 31 - 1)
    expect((await load({ command: 'true', timeout: 1e-9 })).hooks[0]?.timeoutMs).toBe(1)
  })
})

describe('left out', () => {
  test.each([
    ['text', 'config/bad-entry', 'hooks.preToolUse[0]', 'is "text"'],
    [[], 'config/bad-entry', 'hooks.preToolUse[0]', 'an array'],
    [null, 'config/bad-entry', 'hooks.preToolUse[0]', 'is null'],
    [{}, 'config/bad-entry', 'hooks.preToolUse[0]', 'no "command"'],
    [{ type: 'prompt' }, 'config/bad-entry', 'hooks.preToolUse[0]', 'no "prompt"'],
    [{ prompt: 'x' }, 'config/bad-entry', 'hooks.preToolUse[0]', 'no "command"'],
    [{ command: ' ' }, 'config/bad-field', 'hooks.preToolUse[0].command', 'is " "'],
    [{ command: ['a'] }, 'config/bad-field', 'hooks.preToolUse[0].command', 'is an array'],
    [
      { command: 'a', type: 'webhook' },
      'config/bad-field',
      'hooks.preToolUse[0].type',
      '"command", "prompt" or "http"',
    ],
    [
      { command: 'a', timeout: '30' },
      'config/bad-field',
      'hooks.preToolUse[0].timeout',
      'is "30"; expected a number',
    ],
    [{ command: 'a', timeout: 0 }, 'config/bad-field', 'hooks.preToolUse[0].timeout', 'is 0'],
    [{ command: 'a', timeout: null }, 'config/bad-field', 'hooks.preToolUse[0].timeout', 'is null'],
    [{ command: 'a', loop_limit: 1.5 }, 'config/bad-field', 'hooks.preToolUse[0].loop_limit', 'is 1.5'],
    [{ command: 'a', matcher: {} }, 'config/bad-field', 'hooks.preToolUse[0].matcher', 'is an object'],
    [
      { command: 'a', failClosed: 'yes' },
      'config/bad-field',
      'hooks.preToolUse[0].failClosed',
      'true or false',
    ],
  ])('%j', async (entry, code, path, message) => {
    const layer = await load(entry)
    expect(layer).toMatchObject({ state: 'loaded', hooks: [], dropped: 1 })
    expect(layer.issues).toMatchObject([{ code, path, severity: 'error' }])
    expect(layer.issues[0]?.message).toContain(message)
  })

  test('a timeout without an end', async () => {
    const box = sandbox()
    box.hooks('{ "hooks": { "stop": [ { "command": "a", "timeout": 1e999 } ] } }')
    const layer = layerOf(await box.discover())
    expect(layer).toMatchObject({ hooks: [], dropped: 1, issues: [{ code: 'config/bad-field' }] })
  })

  test('every error is reported, and the other entries load', async () => {
    const box = sandbox()
    box.hooks({ hooks: { stop: [{ command: 1, timeout: 'x' }, { command: 'true' }] } })
    const layer = layerOf(await box.discover())
    expect(layer.hooks.map(hook => hook.path)).toEqual(['hooks.stop[1]'])
    expect(codes(layer.issues)).toEqual(['config/bad-field', 'config/bad-field'])
    expect(layer.dropped).toBe(1)
  })

  test('the shape of Claude settings, with the way to write it', async () => {
    const layer = await load({ matcher: 'Bash|Read', hooks: [{ type: 'command', command: './a.sh' }] })
    expect(layer).toMatchObject({ hooks: [], dropped: 1, issues: [{ code: 'config/claude-shaped' }] })
    expect(layer.issues[0]?.hint).toContain(
      '"preToolUse": [ { "matcher": "Shell|Read", "command": "./a.sh" } ]',
    )
  })

  test('a long or wild value stays readable', async () => {
    const layer = await load(`\u001b[31m${'x'.repeat(5000)}\u009b`)
    expect(layer.issues[0]?.message.length).toBeLessThan(200)
    expect(layer.issues[0]?.message).not.toMatch(/[\u001b\u009b]/)
    // Controls, and marks that turn the direction of the text around them.
    for (const sign of '\u007f\u0080\u009b\u009f\u2028\u2029\u202a\u202e\u2066\u2069') {
      const code = sign.charCodeAt(0).toString(16).padStart(4, '0')
      expect((await load(`a${sign}`)).issues[0]?.message).toContain(`"a\\u${code}"`)
    }
  })
})

describe('reported, and loaded', () => {
  test.each([
    ['fail_closed', 'failClosed'],
    ['failclosed', 'failClosed'],
    ['loopLimit', 'loop_limit'],
    ['commnad', 'command'],
    ['Timeout', 'timeout'],
    ['description', undefined],
    ['constructor', undefined],
    ['toString', undefined],
    ['__proto__', 'prompt'],
  ])('the key %s', async (key, meant) => {
    const layer = await load({ command: 'true', [key]: 1 })
    expect(layer.hooks).toHaveLength(1)
    expect(layer.issues).toMatchObject([
      { code: 'config/unknown-key', severity: 'warning', path: `hooks.preToolUse[0].${key}` },
    ])
    expect(/did you mean "(\w+)"/.exec(layer.issues[0]?.message ?? '')?.[1]).toBe(meant)
  })

  test('the last of two equal keys counts', async () => {
    const box = sandbox()
    box.hooks('{ "hooks": { "stop": [ { "command": "a", "command": "b" } ] } }')
    const layer = layerOf(await box.discover())
    expect(layer.hooks[0]?.command).toBe('b')
    expect(codes(layer.issues)).toEqual(['config/duplicate-key'])
  })

  test('milliseconds', async () => {
    const layer = await load({ command: 'true', timeout: 30000 })
    expect(layer.hooks[0]?.timeoutMs).toBe(30_000_000)
    expect(layer.issues).toMatchObject([
      {
        code: 'config/timeout-milliseconds',
        severity: 'warning',
        message: '30000 seconds is over 8 hours. The unit is seconds; did you mean 30?',
      },
    ])
    expect((await load({ command: 'true', timeout: 3600 })).issues).toEqual([])
  })

  test('a matcher that is no pattern stays, as invalid', async () => {
    const layer = await load({ command: 'true', matcher: 'Shell(' })
    expect(layer.hooks[0]?.matcher).toMatchObject({ kind: 'invalid', text: 'Shell(' })
    expect(layer.issues).toMatchObject([{ code: 'config/bad-matcher', severity: 'error' }])
    expect(layer.dropped).toBe(0)
  })

  test.each([
    [{ command: 'true', loop_limit: 3 }, 'preToolUse', 'loop_limit'],
    [{ command: 'true', failClosed: true }, 'stop', 'failClosed'],
    [{ command: 'true', failClosed: false }, 'afterFileEdit', 'failClosed'],
    [{ command: 'true', matcher: 'x' }, 'workspaceOpen', 'matcher'],
    [{ command: 'true', prompt: 'x' }, 'stop', 'prompt'],
    [{ command: 'true', model: 'x' }, 'stop', 'model'],
    [{ type: 'prompt', prompt: 'x', command: 'true' }, 'stop', 'command'],
  ])('%j on %s: %s has no effect', async (entry, event, key) => {
    const layer = await load(entry, event)
    expect(layer.hooks).toHaveLength(1)
    expect(layer.issues).toMatchObject([{ code: 'config/no-effect', path: `hooks.${event}[0].${key}` }])
  })

  test.each([
    [{ command: 'true', loop_limit: 3 }, 'subagentStop'],
    [{ command: 'true', failClosed: true }, 'beforeSubmitPrompt'],
    [{ command: 'true', failClosed: true }, 'sessionStart'],
    [{ command: 'true', matcher: 'x', failClosed: true }, 'beforeReadFile'],
  ])('%j on %s is fine', async (entry, event) => {
    expect((await load(entry, event)).issues).toEqual([])
  })

  test('issues come in the order of the file, with their places', async () => {
    const box = sandbox()
    box.hooks('{\n "hooks": {\n  "stop": [\n   { "command": "a", "x": 1, "timeout": 9000 },\n   5\n  ] } }')
    const { issues } = layerOf(await box.discover())
    expect(issues.map(issue => [issue.line, issue.column, issue.path])).toEqual([
      [4, 22, 'hooks.stop[0].x'],
      [4, 41, 'hooks.stop[0].timeout'],
      [5, 4, 'hooks.stop[1]'],
    ])
  })
})

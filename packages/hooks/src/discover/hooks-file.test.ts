import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomRuns } from '../../../../tests/scope.js'
import { cleanUp, codes, hooksOf, layerOf, sandbox } from './testing/sandbox.js'

cleanUp()

const ENTRY = '{ "command": "true" }'

/** The project layer of a file with this content. */
const load = async (content: unknown) => layerOf(await withContent(content))
const withContent = (content: unknown) => {
  const box = sandbox()
  box.hooks(content)
  return box.discover()
}

describe('reading', () => {
  test('a clean file is silent', async () => {
    const layer = await load({ version: 1, hooks: { stop: [{ command: 'true' }] } })
    expect(layer).toMatchObject({ state: 'loaded', issues: [], dropped: 0 })
    expect(layer.hooks).toHaveLength(1)
  })

  test('no file is no problem', async () => {
    const catalog = await sandbox().discover()
    expect(catalog.layers.map(layer => layer.state)).toEqual(['absent', 'absent', 'absent'])
    expect(catalog.issues).toEqual([])
  })

  test('.cursor that is a file is no problem either', async () => {
    const box = sandbox()
    box.write('project/.cursor', 'x')
    expect(layerOf(await box.discover()).state).toBe('absent')
  })

  test('comments are accepted, a BOM and trailing commas are reported', async () => {
    const layer = await load(
      `\uFEFF// head\n{ "version": 1, /* in */\n  "hooks": { "stop": [ ${ENTRY}, ], },\n}\n`,
    )
    expect(layer.hooks).toHaveLength(1)
    expect(layer.issues.map(({ code, line, column }) => [code, line, column])).toEqual([
      ['config/bom', 1, 1],
      ['config/trailing-comma', 3, 45],
      ['config/trailing-comma', 3, 48],
      ['config/trailing-comma', 3, 51],
    ])
    expect(layer.issues.every(issue => issue.severity === 'warning')).toBe(true)
  })

  test('the place of a syntax error', async () => {
    const layer = await load('{\n  "hooks": {\n    "stop" [\n  }\n}')
    expect(layer.state).toBe('failed')
    expect(layer.issues).toMatchObject(
      [{ code: 'config/syntax', severity: 'error', line: 3, column: 12, message: /colon/ }].map(issue => ({
        ...issue,
        message: expect.stringMatching(issue.message),
      })),
    )
  })

  test.each([
    ['', 'empty'],
    [' \n ', 'empty'],
    ['{', 'brace'],
    ['{}{}', 'after the end'],
    ["{'hooks': {}}", 'double quotes'],
    ['{"a": "b', 'string'],
    ['/* x', 'comment'],
  ])('%j is a syntax error', async (text, message) => {
    const layer = await load(text)
    expect(layer.state).toBe('failed')
    expect(codes(layer.issues)).toEqual(['config/syntax'])
    expect(layer.issues[0]?.message).toContain(message)
  })

  test('100,000 brackets do not overflow the stack', async () => {
    for (const text of ['['.repeat(100_000), '{"a":'.repeat(100_000)]) {
      expect(codes((await load(text)).issues)).toEqual(['config/syntax'])
    }
  })

  test('bytes that are not UTF-8', async () => {
    const latin = await load(Buffer.from('{"hooks":{"stop":[]},"é":1}', 'latin1'))
    expect(codes(latin.issues)).toEqual(['config/not-utf8'])
    const wide = await load(Buffer.from('\uFEFF{}', 'utf16le'))
    expect(wide.issues[0]?.message).toContain('UTF-16')
  })

  test('more than 1 MiB', async () => {
    const layer = await load(`{"hooks":{}}${' '.repeat(4 * 1024 * 1024)}`)
    expect(layer.state).toBe('failed')
    expect(codes(layer.issues)).toEqual(['config/too-large'])
  })

  test('a folder, a pipe and a device are reported without waiting', async () => {
    const box = sandbox()
    mkdirSync(box.path('project/.cursor/hooks.json'), { recursive: true })
    symlinkSync('/dev/zero', box.path('machine/hooks.json'))
    mkdirSync(box.path('home/.cursor'))
    execFileSync('mkfifo', [box.path('home/.cursor/hooks.json')])
    const catalog = await box.discover()
    expect(catalog.layers.map(layer => layer.state)).toEqual(['failed', 'failed', 'failed'])
    expect(codes(catalog.issues)).toEqual(Array(3).fill('config/unreadable'))
    expect(catalog.issues.map(issue => issue.message).join()).toMatch(/device.*folder.*pipe/)
  })

  test('links that go in a circle', async () => {
    const box = sandbox()
    mkdirSync(box.path('project/.cursor'))
    symlinkSync('hooks.json', box.path('project/.cursor/hooks.json'))
    expect(codes((await box.discover()).issues)).toEqual(['config/unreadable'])
  })

  test('a file without read permission', async () => {
    const box = sandbox()
    chmodSync(box.hooks({ hooks: {} }), 0)
    const { state, issues } = layerOf(await box.discover())
    if (process.getuid?.() === 0) expect({ state, issues }).toEqual({ state: 'loaded', issues: [] })
    else expect(issues[0]?.message).toContain('permission denied')
  })
})

describe('the frame', () => {
  test.each([
    ['[]', 'config/not-object'],
    ['"x"', 'config/not-object'],
    ['null', 'config/not-object'],
    ['{}', 'config/no-hooks'],
    ['{"hooks": []}', 'config/no-hooks'],
    ['{"hooks": null}', 'config/no-hooks'],
    ['{"version": "1", "hooks": {}}', 'config/version'],
    ['{"version": 0, "hooks": {}}', 'config/version'],
    ['{"version": -1, "hooks": {}}', 'config/version'],
    ['{"version": 1.5, "hooks": {}}', 'config/version'],
    ['{"version": null, "hooks": {}}', 'config/version'],
  ])('%s fails the file', async (text, code) => {
    const layer = await load(text)
    expect(layer.state).toBe('failed')
    expect(layer.issues).toMatchObject([{ code, severity: 'error' }])
  })

  test('a version of the future is read as 1', async () => {
    const layer = await load(`{"version": 7, "hooks": {"stop": [${ENTRY}]}}`)
    expect(layer).toMatchObject({
      state: 'loaded',
      issues: [{ code: 'config/version', severity: 'warning' }],
    })
    expect(layer.hooks).toHaveLength(1)
  })

  test('comments among the events are no events', async () => {
    const layer = await load('{"hooks": {"_comment": "x", "//": ["x"], "comment": "x", "stop": []}}')
    expect(layer).toMatchObject({ state: 'loaded', issues: [], dropped: 0 })
    const off = await load(`{"hooks": {"_stop": [${ENTRY}]}}`)
    expect(codes(off.issues)).toEqual(['config/unknown-event'])
  })

  test('unknown keys are warnings, with the name that was meant', async () => {
    const layer = await load('{"$schema": "x", "Hooks": 1, "description": "", "__proto__": {}, "hooks": {}}')
    expect(layer.state).toBe('loaded')
    expect(codes(layer.issues)).toEqual(Array(3).fill('config/unknown-key'))
    expect(layer.issues[0]?.message).toContain('did you mean "hooks"')
    expect(layer.issues[2]?.path).toBe('__proto__')
  })

  test('duplicate keys: the hooks of both run', async () => {
    const layer = await load(`{
      "hooks": { "stop": [${ENTRY}], "stop": [${ENTRY}, ${ENTRY}] },
      "hooks": { "stop": [${ENTRY}] } }`)
    expect(layer.hooks).toHaveLength(4)
    expect(new Set(layer.hooks.map(hook => hook.id)).size).toBe(4)
    expect(codes(layer.issues)).toEqual(['config/duplicate-key', 'config/duplicate-key'])
    expect(layer.issues[0]?.message).toContain('both')
  })

  test('of two "hooks" one of which is no object, the other loads', async () => {
    const layer = await load(`{ "hooks": { "stop": [${ENTRY}] }, "hooks": 3 }`)
    expect(layer).toMatchObject({ state: 'loaded', dropped: 1 })
    expect(layer.hooks).toHaveLength(1)
    expect(codes(layer.issues)).toContain('config/no-hooks')
  })
})

describe('events', () => {
  test.each([
    ['beforeShellExecutoin', 'beforeShellExecution'],
    ['beforeshellexecution', 'beforeShellExecution'],
    ['before_shell_execution', 'beforeShellExecution'],
    ['beforeShell', 'beforeShellExecution'],
    ['onStop', 'stop'],
  ])('%s: did you mean %s?', async (name, meant) => {
    const layer = await load({ hooks: { [name]: [{ command: 'true' }] } })
    expect(layer.issues).toMatchObject([
      { code: 'config/unknown-event', severity: 'warning', path: `hooks.${name}` },
    ])
    expect(layer.issues[0]?.message).toContain(`"${meant}"`)
    expect(layer.dropped).toBe(0)
  })

  test('an invented event has no nearest', async () => {
    const layer = await load({ hooks: { notification: [], constructor: [], 'my event': 1 } })
    expect(layer.issues.map(issue => issue.path)).toEqual([
      'hooks.notification',
      'hooks.constructor',
      'hooks["my event"]',
    ])
    expect(layer.issues.every(issue => !issue.message.includes('did you mean'))).toBe(true)
  })

  test('Claude names get their own word', async () => {
    const layer = await load({ hooks: { PreToolUse: [{}, {}], UserPromptSubmit: [{}], Stop: 1 } })
    expect(codes(layer.issues)).toEqual(Array(3).fill('config/claude-shaped'))
    expect(layer.issues.map(issue => /called "(\w+)"/.exec(issue.message)?.[1])).toEqual([
      'preToolUse',
      'beforeSubmitPrompt',
      'stop',
    ])
    expect(layer.dropped).toBe(4)
  })

  test('an event must be an array', async () => {
    const layer = await load({ hooks: { stop: { command: 'true' }, preToolUse: [{ command: 'true' }] } })
    expect(layer.issues).toMatchObject([{ code: 'config/bad-event', severity: 'error', path: 'hooks.stop' }])
    expect(layer.hooks).toHaveLength(1)
    expect(layer.dropped).toBe(1)
  })
})

describe('a file that breaks while running', () => {
  test('keeps its last good hooks, until it is good again or gone', async () => {
    const box = sandbox()
    const file = box.hooks({ hooks: { stop: [{ command: 'true' }, 3] } })
    const first = await box.discover()
    writeFileSync(file, '{ "hooks": ')
    const second = await box.discover({}, first)
    expect(layerOf(second)).toMatchObject({ state: 'kept', dropped: 1 })
    expect(hooksOf(second)).toEqual(hooksOf(first))
    expect(codes(second.issues).sort()).toEqual(['config/kept-last-good', 'config/syntax'])
    const third = await box.discover({}, second)
    expect(hooksOf(third)).toEqual(hooksOf(first))
    expect(layerOf(await box.discover({})).state).toBe('failed')
    writeFileSync(file, '{ "hooks": {} }')
    expect(layerOf(await box.discover({}, third))).toMatchObject({ state: 'loaded', hooks: [], issues: [] })
    unlinkSync(file)
    expect(layerOf(await box.discover({}, third))).toMatchObject({ state: 'absent', hooks: [], issues: [] })
  })

  test('kept hooks must still be trusted', async () => {
    const box = sandbox()
    const file = box.hooks({ hooks: { stop: [{ command: './a.sh' }] } })
    box.write('project/a.sh', 'one', 0o755)
    const first = await box.discover({ trustAll: false })
    await box.options().trust.add(box.root, [hooksOf(first)[0]!.fingerprint])
    const second = await box.discover({ trustAll: false }, first)
    writeFileSync(file, '{')
    expect(hooksOf(await box.discover({ trustAll: false }, second))[0]?.trusted).toBe(true)
    box.write('project/a.sh', 'two', 0o755)
    expect(hooksOf(await box.discover({ trustAll: false }, second))[0]?.trusted).toBe(false)
  })
})

describe('laws', () => {
  test('any bytes are read without throwing, and failures are reported', async () => {
    const box = sandbox()
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => {
        box.hooks(bytes)
        const layer = layerOf(await box.discover())
        expect(layer.state === 'loaded' || layer.issues.length > 0).toBe(true)
      }),
      { numRuns: randomRuns(200) },
    )
  })

  test('any JSON is read without throwing, and nothing is left out in silence', async () => {
    const box = sandbox()
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom('command', 'type', 'prompt', 'timeout', 'matcher', 'loop_limit', 'failClosed', 'x'),
        fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('prompt', 'command', 1, 5000, true)),
      ),
    )
    const events = fc.dictionary(
      fc.oneof(fc.constantFrom('stop', 'preToolUse', 'PreToolUse', '__proto__', 'constructor'), fc.string()),
      fc.oneof(fc.array(entry), fc.jsonValue()),
    )
    const config = fc.oneof(fc.jsonValue(), fc.record({ hooks: fc.oneof(events, fc.jsonValue()) }))
    await fc.assert(
      fc.asyncProperty(config, async value => {
        box.hooks(JSON.stringify(value))
        const layer = layerOf(await box.discover())
        const errors = layer.issues.filter(issue => issue.severity === 'error')
        if (layer.state === 'failed' || layer.dropped > 0) expect(errors.length).toBeGreaterThan(0)
        const given = countEntries(value)
        if (layer.state === 'loaded' && given !== undefined) {
          expect(layer.hooks.length + layer.dropped).toBe(given)
        }
        for (const { line, column, message, hint, file } of layer.issues) {
          expect([line >= 1, column >= 1, message !== '', hint !== '', file.startsWith('/')]).not.toContain(
            false,
          )
        }
      }),
      { numRuns: randomRuns(300) },
    )
  })
})

/** Entries under events that are known, by a second and simpler reading. */
function countEntries(value: unknown): number | undefined {
  const hooks = (value as { hooks?: Record<string, unknown> } | null)?.hooks
  if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)) return undefined
  let count = 0
  for (const [name, list] of Object.entries(hooks)) {
    if (!['stop', 'preToolUse', 'PreToolUse'].includes(name)) continue
    count += Array.isArray(list) ? list.length : 1
  }
  return count
}

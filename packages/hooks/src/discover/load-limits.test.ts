// No file of an untrusted project may block the host. The tests count the work between two turns of the event loop in CPU
// time, which does not depend on how busy the machine is.

import { mkdirSync, symlinkSync, truncateSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Catalog } from '../protocol/config.js'
import { cleanUp, layerOf, type Sandbox, sandbox } from './testing/sandbox.js'

cleanUp()

const MIB = 1024 * 1024
const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index)).join(',')
const hooks = (entries: string) => `{"hooks":{"preToolUse":[${entries}]}}`
const claude = (groups: string) => `{"hooks":{"PreToolUse":[${groups}]}}`
const command = (text: string) => hooks(JSON.stringify({ command: text }))

/** Loads the hooks. No turn may take longer than the limit, in milliseconds of CPU time. */
async function load(box: Sandbox): Promise<Catalog> {
  let longest = 0
  let last = process.cpuUsage()
  let isOver = false
  const measure = () => {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1000)
    last = process.cpuUsage()
    if (!isOver) setImmediate(measure)
  }
  setImmediate(measure)
  await new Promise(resolve => setImmediate(resolve))
  const catalog = await box.discover({ trustAll: false, claude: true })
  await new Promise(resolve => setTimeout(resolve, 0))
  isOver = true
  expect(longest).toBeLessThan(LIMIT_MS)
  return catalog
}

/** Other threads of the test runner add to the CPU time of the process. */
const LIMIT_MS = 200

describe('a hooks.json does not block the host', () => {
  test.each([
    ['60 MiB', ' '.repeat(60 * MIB), 'larger than 1 MiB'],
    ['as many hooks as fit', hooks(list(65_000, () => '{"command":"x"}')), 'tokens'],
    ['more than 2,000 hooks', hooks(list(2001, () => '{"command":"x"}')), '2000 hooks'],
    ['2,000 hooks with different words', hooks(list(2000, i => `{"command":"./x${i} y${i}"}`)), undefined],
    [
      '2,000 hooks with all their fields',
      hooks(
        list(
          2000,
          i =>
            `{"type":"command","command":"x${i}","matcher":"a","timeout":5,"loop_limit":5,"failClosed":true,"_a":1,"_b":1}`,
        ),
      ),
      undefined,
    ],
    ['entries that are no hooks', hooks(list(24_000, () => '1')), 'a hook is an object'],
    ['unknown keys', hooks(`{"command":"x",${list(12_000, i => `"k${i}":1`)}}`), 'not a key'],
    ['unknown events', `{"hooks":{${list(9000, i => `"stopp${i}":[]`)}}}`, 'No event'],
    ['comments', `${'/**/'.repeat(250_000)}{}`, 'tokens'],
    ['lines', `${'\n'.repeat(MIB - 10)}{}`, 'no "hooks"'],
    ['deep nesting', '['.repeat(MIB - 10), 'nest deeper'],
    [
      'long patterns',
      hooks(list(100, i => `{"command":"x","matcher":"${'(a|b)*'.repeat(1600)}${i}"}`)),
      undefined,
    ],
    ['a long command', command('a/b '.repeat(250_000)), undefined],
    ['a command of quotes', command("'a' ".repeat(250_000)), undefined],
    ['a command of prefixes', command('env '.repeat(4900)), undefined],
    ['a command of redirections', command('> '.repeat(9900)), undefined],
    ['a long prompt', hooks(`{"type":"prompt","prompt":"${' a'.repeat(500_000)}"}`), undefined],
  ])('%s', async (_, text, message) => {
    const box = sandbox()
    box.hooks(text)
    const { issues } = layerOf(await load(box))
    expect(issues.length).toBeLessThan(300)
    if (message === undefined) expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
    else expect(issues.some(issue => issue.message.includes(message))).toBe(true)
  })
})

describe('Claude settings do not block the host', () => {
  const group = (matcher: string) => `{"matcher":"${matcher}","hooks":[{"type":"command","command":"x"}]}`

  test.each([
    ['many slow patterns', claude(list(1500, i => group(`((((.*)*)*)*)*z${i}`)))],
    ['long lists of names', claude(list(100, () => group(`${'a|'.repeat(4900)}a`)))],
    ['names of servers', claude(list(100, () => group(`${'mcp__a'.repeat(1600)}.*`)))],
  ])('%s', async (_, text) => {
    const box = sandbox()
    box.write('project/.claude/settings.json', text)
    await load(box)
  })
})

describe('folders do not block the host, and cannot be trusted over the limit', () => {
  const problem = async (box: Sandbox) => {
    box.hooks(hooks('{"command":"./d/x"}'))
    const { issues } = layerOf(await load(box))
    return issues.find(({ code }) => code === 'trust/not-coverable')?.message
  }

  test('one with too many entries', async () => {
    const box = sandbox()
    for (let i = 0; i < 2100; i++) mkdirSync(box.path(`project/.cursor/d${i}`), { recursive: true })
    expect(await problem(box)).toContain('2000 files')
  })

  test('many empty folders', async () => {
    const box = sandbox()
    for (let i = 0; i < 200; i++)
      for (let j = 0; j < 30; j++) mkdirSync(box.path(`project/.cursor/${i}/${j}`), { recursive: true })
    expect(await problem(box)).toContain('5000 paths')
  })

  test('links that lead to each other in ever longer paths', async () => {
    const box = sandbox()
    for (let i = 0; i < 20; i++) {
      mkdirSync(box.path(`project/.cursor/${i}`), { recursive: true })
      for (let j = 0; j < 20; j++) symlinkSync(`../${j}`, box.path(`project/.cursor/${i}/${j}`))
    }
    expect(await problem(box)).toContain('5000 paths')
  })

  test('a sparse file of nearly 64 MiB', async () => {
    const box = sandbox()
    truncateSync(box.write('project/.cursor/sparse', ''), 64 * MIB - 100)
    expect(await problem(box)).toBeUndefined()
  })

  test('more words than are looked up', async () => {
    const box = sandbox()
    box.hooks(
      hooks(
        list(1000, i => `{"command":"x ${Array.from({ length: 30 }, (_, j) => `w${i}_${j}`).join(' ')}"}`),
      ),
    )
    const { hooks: found, issues } = layerOf(await load(box))
    expect(issues.some(({ message }) => message.includes('20000 different words'))).toBe(true)
    expect(found.every(({ trusted }) => !trusted)).toBe(true)
  })

  test('the paths of commands that are compared before each event', async () => {
    const box = sandbox()
    box.hooks(hooks(list(1500, i => `{"command":"./a${i} ./b${i} ./c${i} ./d${i}"}`)))
    const { hooks: found, issues } = layerOf(await load(box))
    expect(issues.some(({ message }) => message.includes('5000 paths'))).toBe(true)
    expect(found[0]!.covered.length).toBeLessThanOrEqual(5000)
  })
})

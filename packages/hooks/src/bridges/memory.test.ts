import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { forgetOld, fresh, type Memory, recall, remember } from './memory.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-memory-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const withEnv = (memory: Memory, env: Record<string, string>): Memory => ({
  ...memory,
  session: { ...memory.session, variables: [{ rank: 3, env }] },
})

describe('memory of a conversation', () => {
  it('is what was remembered', async () => {
    const after = { ...withEnv(fresh(5), { A: '1' }), compactions: 2 }
    await remember(folder, 's', fresh(5), after)
    expect(recall(folder, 's')).toEqual(after)
    expect(statSync(join(folder, 's.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['s.json'])
  })

  it('keeps what others wrote in the meantime', async () => {
    const before = fresh(5)
    const names = Array.from({ length: 12 }, (_, index) => `V${index}`)
    await Promise.all(names.map(name => remember(folder, 's', before, withEnv(before, { [name]: name }))))
    expect(Object.keys(recall(folder, 's')!.session.variables[0]!.env).sort()).toEqual([...names].sort())
  })

  const inSession = (change: Partial<Memory['session']>) => (memory: Memory) => ({
    ...memory,
    session: { ...memory.session, ...change },
  })
  const CHANGES: readonly [field: string, change: (memory: Memory) => Memory][] = [
    ['blocked', memory => ({ ...memory, blocked: 'a hook stopped the session' })],
    ['prompt', memory => ({ ...memory, prompt: 'a hook stopped the prompt' })],
    ['followup', memory => ({ ...memory, followup: 'go on' })],
    ['compactions', memory => ({ ...memory, compactions: 3 })],
    ['ended', memory => ({ ...memory, ended: true })],
    ['startedAt', inSession({ startedAt: 7 })],
    ['generationId', inSession({ generationId: 'g1' })],
    ['loopCounts', inSession({ loopCounts: { stop: 2 } })],
    ['variables', inSession({ variables: [{ rank: 3, env: { A: '1' } }] })],
  ]

  it.each(CHANGES)('keeps %s of a concurrent call', async (_, theirs) => {
    const before = fresh(5)
    for (const [, ours] of CHANGES) {
      await remember(folder, 's', before, theirs(before), true)
      await remember(folder, 's', before, ours(before))
      expect(recall(folder, 's')).toEqual(ours(theirs(before)))
    }
  })

  it.each(CHANGES)('replaces %s by the value of the later call', async (field, change) => {
    const before = fresh(5)
    await remember(folder, 's', before, change(before))
    await remember(folder, 's', change(before), before)
    // Variables are added or changed, never removed.
    expect(recall(folder, 's')).toEqual(field === 'variables' ? change(before) : before)
  })

  it('is not written when nothing changed', async () => {
    await remember(folder, 's', fresh(5), fresh(5))
    expect(readdirSync(folder)).toEqual([])
  })

  it.each(['../../escape', 'a/b', '', '.', 'x'.repeat(500), '\u0000', 'c:\\x'])(
    'stays in its folder: %j',
    async id => {
      await remember(folder, id, fresh(1), fresh(2))
      expect(readdirSync(folder)).toHaveLength(1)
      expect(recall(folder, id)?.session.startedAt).toBe(2)
    },
  )

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"session":{}}',
    '{"session":{"startedAt":1,"generationId":"","loopCounts":{"stop":"x"},"variables":[]}}',
  ])('that is broken is none: %j', text => {
    writeFileSync(join(folder, 's.json'), text)
    expect(recall(folder, 's')).toBeUndefined()
  })

  it.each([
    { startedAt: '5' },
    { generationId: 7 },
    { generationId: undefined },
    { loopCounts: [] },
    { loopCounts: { stop: '2' } },
    { variables: {} },
    { variables: [null] },
    { variables: [{ rank: '3', env: {} }] },
    { variables: [{ rank: 3, env: [] }] },
    { variables: [{ rank: 3 }] },
  ])('with a session of another shape is none: %j', change => {
    const write = (session: object) =>
      writeFileSync(join(folder, 's.json'), JSON.stringify({ ...fresh(5), session }))
    write(fresh(5).session)
    expect(recall(folder, 's')).toEqual(fresh(5))
    write({ ...fresh(5).session, ...change })
    expect(recall(folder, 's')).toBeUndefined()
  })

  it('is apart for long ids that begin alike', async () => {
    const [one, other] = [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`]
    await remember(folder, one, fresh(1), fresh(2))
    expect(recall(folder, other)).toBeUndefined()
  })

  it('is forgotten after a month', async () => {
    await remember(folder, 'old', fresh(1), fresh(2))
    await remember(folder, 'new', fresh(1), fresh(2))
    const now = Date.now()
    const days = (count: number) => new Date(now - count * 86_400_000)
    utimesSync(join(folder, 'old.json'), days(31), days(31))
    utimesSync(join(folder, 'new.json'), days(29), days(29))
    forgetOld(folder, now)
    expect(readdirSync(folder)).toEqual(['new.json'])
    forgetOld(join(folder, 'none'), Date.now())
  })
})

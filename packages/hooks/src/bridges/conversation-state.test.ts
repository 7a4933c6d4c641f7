import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ConversationState,
  deleteOldStates,
  loadState,
  newState,
  StateError,
  saveState,
} from './conversation-state.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-memory-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const withEnv = (memory: ConversationState, env: Record<string, string>): ConversationState => ({
  ...memory,
  session: { ...memory.session, variables: [{ rank: 3, env }] },
})

describe('the state of a conversation', () => {
  it('is loaded as it was saved', async () => {
    const after = { ...withEnv(newState(5), { A: '1' }), compactions: 2 }
    await saveState(folder, 's', newState(5), after)
    expect(loadState(folder, 's')).toEqual(after)
    expect(statSync(join(folder, 's.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['s.json'])
  })

  it('keeps concurrent changes of other calls', async () => {
    const before = newState(5)
    const names = Array.from({ length: 12 }, (_, index) => `V${index}`)
    await Promise.all(names.map(name => saveState(folder, 's', before, withEnv(before, { [name]: name }))))
    expect(Object.keys(loadState(folder, 's')!.session.variables[0]!.env).sort()).toEqual([...names].sort())
  })

  const inSession = (change: Partial<ConversationState['session']>) => (memory: ConversationState) => ({
    ...memory,
    session: { ...memory.session, ...change },
  })
  const CHANGES: readonly [field: string, change: (memory: ConversationState) => ConversationState][] = [
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
    const before = newState(5)
    for (const [, ours] of CHANGES) {
      await saveState(folder, 's', before, theirs(before), true)
      await saveState(folder, 's', before, ours(before))
      expect(loadState(folder, 's')).toEqual(ours(theirs(before)))
    }
  })

  it.each(CHANGES)('replaces %s by the value of the later call', async (field, change) => {
    const before = newState(5)
    await saveState(folder, 's', before, change(before))
    await saveState(folder, 's', change(before), before)
    // Variables are added or changed, never removed.
    expect(loadState(folder, 's')).toEqual(field === 'variables' ? change(before) : before)
  })

  it('is not saved without changes', async () => {
    await saveState(folder, 's', newState(5), newState(5))
    expect(readdirSync(folder)).toEqual([])
  })

  it.each(['../../escape', 'a/b', '', '.', 'x'.repeat(500), '\u0000', 'c:\\x'])(
    'stays in its folder: %j',
    async id => {
      await saveState(folder, id, newState(1), newState(2))
      expect(readdirSync(folder)).toHaveLength(1)
      expect(loadState(folder, id)?.session.startedAt).toBe(2)
    },
  )

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"session":{}}',
    '{"session":{"startedAt":1,"generationId":"","loopCounts":{"stop":"x"},"variables":[]}}',
  ])('is refused if the file is damaged: %j', text => {
    writeFileSync(join(folder, 's.json'), text)
    expect(() => loadState(folder, 's')).toThrow(StateError)
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
  ])('is refused if the session has another shape: %j', change => {
    const write = (session: object) =>
      writeFileSync(join(folder, 's.json'), JSON.stringify({ ...newState(5), session }))
    write(newState(5).session)
    expect(loadState(folder, 's')).toEqual(newState(5))
    write({ ...newState(5).session, ...change })
    expect(() => loadState(folder, 's')).toThrow(StateError)
  })

  it('is separate for long ids with the same start', async () => {
    const [one, other] = [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`]
    await saveState(folder, one, newState(1), newState(2))
    expect(loadState(folder, other)).toBeUndefined()
  })

  it('is deleted after a month', async () => {
    await saveState(folder, 'old', newState(1), newState(2))
    await saveState(folder, 'new', newState(1), newState(2))
    const now = Date.now()
    const days = (count: number) => new Date(now - count * 86_400_000)
    utimesSync(join(folder, 'old.json'), days(31), days(31))
    utimesSync(join(folder, 'new.json'), days(29), days(29))
    deleteOldStates(folder, now)
    expect(readdirSync(folder)).toEqual(['new.json'])
    deleteOldStates(join(folder, 'none'), Date.now())
  })
})

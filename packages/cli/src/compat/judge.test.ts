// Many hooks: the work grows with their number, and no call takes them all as arguments.

import type { HookDefinition, Layer } from '@holdfast/hooks/protocol'
import { expect, it } from 'vitest'
import { IN_ORDER } from '../profiles/names.js'
import { isProven, judge, standing } from './judge.js'
import { compatReport } from './report.js'
import { FOUND, subjectsOf } from './subjects.js'

const hookOf = (index: number, more: Partial<HookDefinition> = {}) =>
  ({
    id: `hook-${index}`,
    event: 'beforeSubmitPrompt',
    source: 'user',
    type: 'command',
    mode: 'enforce',
    name: 'true',
    command: 'true',
    file: '/home/ann/.cursor/hooks.json',
    line: index + 1,
    matcher: { kind: 'all' },
    timeoutMs: 60_000,
    loopLimit: 5,
    ...more,
  }) as HookDefinition

const layerOf = (hooks: readonly HookDefinition[]) =>
  ({ source: { kind: 'user' }, state: 'loaded', hooks, issues: [], dropped: 0 }) as unknown as Layer

const screen = {
  columns: 100,
  cwd: '/',
  home: '/home/ann',
  ...Object.fromEntries(['red', 'amber', 'green', 'dim', 'bold'].map(name => [name, (text: string) => text])),
} as unknown as Parameters<typeof compatReport>[1]

it('takes 20,000 hooks', () => {
  const layers = [layerOf(Array.from({ length: 20_000 }, (_, index) => hookOf(index)))]
  const subjects = subjectsOf(layers, () => FOUND)
  expect(subjects).toHaveLength(20_000)
  expect(subjects.at(-1)!.first.inFile).toBe(subjects[0]!.hook)
  const found = judge(subjects.at(-1)!, IN_ORDER)
  const hooks = subjects.map(subject => ({ subject, found: found.filter(one => !isProven(one)) }))
  const text = compatReport({ layers, profiles: ['cursor-1.7'], hooks, rehearsed: null }, screen)
  expect(text.split('\n').length).toBeGreaterThan(20_000)
})

it('reads each hook a fixed number of times, however many there are', () => {
  const readsOf = (number: number) => {
    let reads = 0
    const counted = (hook: HookDefinition) =>
      new Proxy(hook, {
        get(target, key) {
          reads++
          return Reflect.get(target, key)
        },
      })
    const all = Array.from({ length: number }, (_, index) => counted(hookOf(index, { failClosed: true })))
    const layers = [layerOf(all)]
    const hooks = subjectsOf(layers, () => FOUND).map(subject => ({
      subject,
      found: judge(subject, IN_ORDER),
    }))
    compatReport({ layers, profiles: IN_ORDER, hooks, rehearsed: null }, screen)
    return reads
  }
  // Sorting by line reads a little more often than once for each hook.
  expect(readsOf(2000) / readsOf(1000)).toBeLessThan(2.2)
})

it('reports a gate that is missing only for an entry that must block', () => {
  const layers = [layerOf([hookOf(0), hookOf(1, { failClosed: true })])]
  const [plain, closed] = subjectsOf(layers, () => FOUND).map(subject => judge(subject, IN_ORDER))
  expect(plain!.filter(({ kind }) => kind === 'gate')).toEqual([])
  expect(standing(plain!, 'cursor-1.7')).toBe('works')
  expect(closed!.filter(({ kind }) => kind === 'gate').map(isProven)).toEqual([true])
  expect(standing(closed!, 'cursor-1.7')).toBe('weaker')
})

it('shows what depends on the script as possible', () => {
  const layers = [layerOf([hookOf(0, { event: 'beforeReadFile' }), hookOf(1, { event: 'beforeReadFile' })])]
  const [, second] = subjectsOf(layers, () => FOUND).map(subject => judge(subject, IN_ORDER))
  expect(second!.filter(one => !isProven(one)).map(({ kind }) => kind)).toEqual(['first-valid', 'failure'])
  expect(standing(second!, 'cursor-2.3')).toBe('works')
})

it('does not count a pattern that matches everything as lost', () => {
  const matcher = { kind: 'regex', text: '.*' } as HookDefinition['matcher']
  const layers = [layerOf([hookOf(0, { event: 'beforeShellExecution', matcher })])]
  const [subject] = subjectsOf(layers, () => FOUND)
  expect(judge(subject!, IN_ORDER).filter(({ kind }) => kind === 'matcher')).toEqual([])
})

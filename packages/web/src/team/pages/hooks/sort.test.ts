import { create } from '@bufbuild/protobuf'
import { type Hook, HookSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { arranged, contentIn, pressed, sortingOf } from './sort.js'

const hook = (name: string, more: object = {}): Hook => create(HookSchema, { name, ...more })

describe('the list of hooks', () => {
  it('shows what devices have, and the draft only of a hook that was never published', () => {
    const [published, draft] = [{ mode: 'observe' }, { mode: 'enforce' }]
    expect(contentIn(hook('a', { published, draft }))?.mode).toBe('observe')
    expect(contentIn(hook('a', { draft }))?.mode).toBe('enforce')
  })

  it('is sorted by state with what needs attention first', () => {
    const hooks = ['draft', 'active', 'partial'].map(state => hook(state, { live: { state } }))
    const sorted = arranged(hooks, '', sortingOf('state'))
    expect(sorted.map(({ name }) => name)).toEqual(['partial', 'active', 'draft'])
  })

  it('is sorted by what one presses, and turned by pressing again', () => {
    expect(sortingOf(undefined)).toEqual({ column: 'name', isDown: false })
    expect(sortingOf('-changed')).toEqual({ column: 'changed', isDown: true })
    expect(sortingOf('-garbage')).toEqual({ column: 'name', isDown: true })
    expect(pressed(sortingOf(undefined), 'changed')).toBe('-changed')
    expect(pressed(sortingOf('-changed'), 'changed')).toBe('changed')
    expect(pressed(sortingOf(undefined), 'name')).toBe('-name')
    expect(pressed(sortingOf('-name'), 'name')).toBeUndefined()
  })

  it('finds all words anywhere', () => {
    const hooks = [
      hook('No pushes', { draft: { hookStep: 'x', matcher: 'git push', scriptName: 'a.sh' } }),
      hook('Audit', { published: { hookStep: 'y' }, changedBy: 'Ada' }),
    ]
    const names = (text: string) => arranged(hooks, text, sortingOf(undefined)).map(({ name }) => name)
    expect(names('')).toEqual(['Audit', 'No pushes'])
    expect(names('PUSH git')).toEqual(['No pushes'])
    expect(names('ada')).toEqual(['Audit'])
    expect(names('ada push')).toEqual([])
  })

  it('keeps names in order where all else is the same', () => {
    const hooks = [hook('b', { revision: 1 }), hook('a', { revision: 1 }), hook('c', { revision: 2 })]
    expect(arranged(hooks, '', sortingOf('-revision')).map(({ name }) => name)).toEqual(['c', 'a', 'b'])
  })
})

import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { HookSchema, SourceSchema } from '../../../gen/holdfast/panel/v1/panel_pb.js'
import { fromAddress, toAddress } from './address.js'
import { groupsOf, neverWords, statesOf } from './shown.js'

const hook = (fields: object) => create(HookSchema, { event: 'e', state: 'loaded', ...fields })
const sources = [
  create(SourceSchema, { id: '1', kind: 'enterprise', state: 'absent' }),
  create(SourceSchema, {
    id: '2',
    kind: 'project',
    state: 'loaded',
    hooks: [
      hook({ id: 'a', name: 'guard.sh', matcher: 'git' }),
      hook({ id: 'b', name: 'watch.sh', state: 'untrusted' }),
    ],
  }),
]
const all = { sources: [], states: [], text: '' }
const shown = (filter: object) =>
  groupsOf(sources, { ...all, ...filter }).map(({ source, hooks }) => [
    source.kind,
    hooks.map(({ id }) => id),
  ])

describe('which hooks are shown', () => {
  it('all of them, without the sources that are not there', () => {
    expect(shown({})).toEqual([['project', ['a', 'b']]])
  })
  it('by source, state and every word of the text', () => {
    expect(shown({ sources: ['user'] })).toEqual([])
    expect(shown({ states: ['untrusted'] })).toEqual([['project', ['b']]])
    expect(shown({ states: ['never'] })).toEqual([['project', ['a']]])
    expect(shown({ text: 'GIT guard' })).toEqual([['project', ['a']]])
    expect(shown({ text: 'git watch' })).toEqual([])
  })
  it('a hook may be in several states', () => {
    expect(statesOf(hook({ mode: 'observe', history: { runs: 2, failedOpen: 1 } }))).toEqual([
      'loaded',
      'open',
      'observe',
    ])
  })
  it('without a matcher nothing was missed', () => {
    expect(neverWords(hook({ matcher: 'git' }))).toBe('never matched')
    expect(neverWords(hook({}))).toBe('never ran')
  })
})

describe('the address of a hook', () => {
  it.each(['project:.cursor/hooks.json:hooks.stop[0]', 'user:~/ä ö/😀:hooks.x[1]', ''])(
    'comes back: %s',
    id => {
      expect(toAddress(id)).toMatch(/^[\w-]*$/)
      expect(fromAddress(toAddress(id))).toBe(id)
    },
  )
  it('garbage leads to no hook', () => {
    for (const word of ['%', '////', 'gA']) expect(fromAddress(word)).toBe('')
  })
})

import { create } from '@bufbuild/protobuf'
import { HookSchema, TeamHookSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { contentOf, describeField, EMPTY, type Form, fieldOf, formOf, formOfContent, isSame } from './form.js'

const through = (form: Form) => ({
  ...formOfContent(create(TeamHookSchema, contentOf(form))),
  name: form.name,
})

describe('a form', () => {
  it('is the same after a round trip', () => {
    const command: Form = {
      ...EMPTY,
      name: 'Guard',
      event: 'x',
      matcher: 'git push',
      scriptName: 'guard.sh',
      script: '#!/bin/sh\n',
      timeout: '2.5',
      failClosed: 'closed',
      loopLimit: '3',
      mode: 'observe',
      systems: ['Linux', 'Windows'],
      isActive: false,
    }
    const prompt: Form = { ...EMPTY, type: 'prompt', prompt: 'Is it safe?', model: 'm', isEndless: true }
    for (const form of [EMPTY, command, prompt]) expect(through(form)).toEqual(form)
  })

  it('omits empty fields', () => {
    expect(contentOf(EMPTY)).not.toHaveProperty('timeout')
    expect(contentOf(EMPTY)).not.toHaveProperty('failClosed')
    expect(contentOf(EMPTY)).not.toHaveProperty('loopLimit')
  })

  it('sends text that is not a number as an invalid number', () => {
    expect(contentOf({ ...EMPTY, timeout: 'soon' })).toMatchObject({ timeout: -1 })
  })

  it('sends no script with a prompt', () => {
    expect(contentOf({ ...EMPTY, type: 'prompt', script: 'x', scriptName: 'y' })).toMatchObject({
      scriptName: '',
      scriptContent: '',
    })
  })

  it('prefers the draft over the published revision', () => {
    const hook = create(HookSchema, {
      name: 'Guard',
      published: { matcher: 'old' },
      draft: { matcher: 'new' },
    })
    expect(formOf(hook)).toMatchObject({ name: 'Guard', matcher: 'new' })
    expect(isSame(formOf(create(HookSchema, { name: 'n' })), { ...EMPTY, name: 'n' })).toBe(true)
  })

  it('knows the fields by the names of the server', () => {
    expect(fieldOf('script_content')).toBe('script')
    expect(fieldOf('operating_systems[1]')).toBe('systems')
    expect(fieldOf('surprise')).toBeUndefined()
  })

  it('describes values in words', () => {
    expect(describeField('systems', { ...EMPTY, systems: ['Macintosh'] })).toBe('macOS')
    expect(describeField('timeout', EMPTY)).toBe('default')
  })
})

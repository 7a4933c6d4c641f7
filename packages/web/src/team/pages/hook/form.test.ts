import { create } from '@bufbuild/protobuf'
import { HookSchema, TeamHookSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { contentOf, EMPTY, type Form, fieldOf, formOf, formOfContent, isSame, say } from './form.js'

const through = (form: Form) => ({
  ...formOfContent(create(TeamHookSchema, contentOf(form))),
  name: form.name,
})

describe('a form', () => {
  it('comes back as it was sent', () => {
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

  it('leaves open what is left open', () => {
    expect(contentOf(EMPTY)).not.toHaveProperty('timeout')
    expect(contentOf(EMPTY)).not.toHaveProperty('failClosed')
    expect(contentOf(EMPTY)).not.toHaveProperty('loopLimit')
  })

  it('sends what is no number as one that nobody takes', () => {
    expect(contentOf({ ...EMPTY, timeout: 'soon' })).toMatchObject({ timeout: -1 })
  })

  it('sends no script with a prompt', () => {
    expect(contentOf({ ...EMPTY, type: 'prompt', script: 'x', scriptName: 'y' })).toMatchObject({
      scriptName: '',
      scriptContent: '',
    })
  })

  it('is the draft before what was published', () => {
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

  it('says values in words', () => {
    expect(say('systems', { ...EMPTY, systems: ['Macintosh'] })).toBe('macOS')
    expect(say('timeout', EMPTY)).toBe('the default')
  })
})

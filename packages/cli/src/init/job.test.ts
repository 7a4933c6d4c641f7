// Every event of the table has a first hook, and what it says is what the event takes.

import { execFileSync } from 'node:child_process'
import { EVENT_NAMES, EVENT_SPECS, findEvent } from '@holdfast/hooks/protocol'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { casesText } from './cases.js'
import { jobFor, namesOf, sampleEvents } from './job.js'

describe('the first hook', () => {
  it.each(EVENT_SPECS)('on $name says only what the event takes', spec => {
    const job = jobFor(spec)
    const answer = {
      guard: 'user_message',
      followup: 'followup_message',
      context: 'additional_context',
      notice: 'user_message',
      audit: undefined,
    }[job.kind]
    if (answer) expect(spec.answer).toHaveProperty(answer)
    else expect(spec.gate).toBe('none')
    const field = job.kind === 'guard' ? job.rule.field : job.kind === 'audit' ? job.field : null
    if (field) expect(spec.payload).toHaveProperty(field)
    if (job.kind !== 'guard') return
    const { pattern, stopped, passes } = job.rule
    for (const [text, isFound] of [
      [stopped, true],
      [passes, false],
    ] as const) {
      expect(new RegExp(pattern).test(text)).toBe(isFound)
      expect(v.is(spec.payload[field!]!, text)).toBe(true)
      const grep = () => execFileSync('grep', ['-Eq', '-e', pattern], { input: text })
      if (isFound) grep()
      else expect(grep).toThrow()
    }
  })

  it('guards whatever can be stopped with permission', () => {
    for (const spec of EVENT_SPECS.filter(({ gate }) => gate === 'permission'))
      expect(jobFor(spec).kind).toBe('guard')
  })

  it('is about a command, an edit and an end when nobody says', () => {
    expect(sampleEvents().map(({ name }) => name)).toEqual(['beforeShellExecution', 'afterFileEdit', 'stop'])
  })

  it('knows the names of older versions', () => {
    expect(namesOf('prompt', findEvent('beforeSubmitPrompt')!)).toEqual(['prompt', 'prompt_text'])
    expect(namesOf('command', findEvent('beforeShellExecution')!)).toEqual(['command'])
  })

  it('has cases that YAML reads as they are meant', () => {
    const { cases } = parse(casesText('guard.sh', EVENT_SPECS.map(jobFor))) as {
      cases: { event: string; payload?: object }[]
    }
    expect([...new Set(cases.map(({ event }) => event))]).toEqual(EVENT_NAMES)
    for (const { event, payload = {} } of cases) {
      for (const [name, value] of Object.entries(payload)) {
        expect(v.is(findEvent(event)!.payload[name]!, value), `${event} ${name}`).toBe(true)
      }
    }
  })
})

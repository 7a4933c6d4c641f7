import { create } from '@bufbuild/protobuf'
import { type EventFacts, EventFactsSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { eventBefore, eventOf, groupsOf, matchedExamples, sampleFor } from './events.js'

const event = (name: string, more: object = {}): EventFacts => create(EventFactsSchema, { name, ...more })
const commands = event('commands', {
  category: 'agent',
  gate: 'permission',
  subjectField: 'command',
  subjectExamples: ['git status', 'git push --force origin main'],
  sampleJson: '{"command":"ls","cwd":"/"}',
})
const events = [
  event('begins', { category: 'app', sampleJson: '{"a":1}' }),
  commands,
  event('reads', { category: 'agent' }),
]

describe('events of a form', () => {
  it('are grouped by kind', () => {
    expect(groupsOf(events)).toEqual([
      { label: 'Agent', names: ['commands', 'reads'] },
      { label: 'Application', names: ['begins'] },
    ])
    expect(eventOf(events, 'reads')?.name).toBe('reads')
    expect(eventOf(events, 'surprise')).toBeUndefined()
  })

  it('begin where commands are asked about', () => {
    expect(eventBefore(events, 'command')).toBe('commands')
    expect(eventBefore([event('other')], 'command')).toBe('other')
    expect(eventBefore([], 'command')).toBe('')
  })

  it('say which of the usual ones a matcher takes', () => {
    expect(matchedExamples(commands, '--force')).toEqual(['git push --force origin main'])
    expect(matchedExamples(commands, '')).toHaveLength(2)
    expect(matchedExamples(commands, '(')).toBeUndefined()
  })

  it('make a sample about something', () => {
    expect(JSON.parse(sampleFor(commands, 'rm'))).toEqual({ command: 'rm', cwd: '/' })
    expect(sampleFor(events[0]!, 'rm')).toBe('{"a":1}')
  })
})

import { create } from '@bufbuild/protobuf'
import { type EventFacts, EventFactsSchema } from '@holdfast/team/messages'
import { describe, expect, it } from 'vitest'
import { eventOf, firstEvent, groupsOf, sampleFor, takenBy } from './events.js'

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
  it('stand together by their kind', () => {
    expect(groupsOf(events)).toEqual([
      { label: 'Agent', names: ['commands', 'reads'] },
      { label: 'Application', names: ['begins'] },
    ])
    expect(eventOf(events, 'reads')?.name).toBe('reads')
    expect(eventOf(events, 'surprise')).toBeUndefined()
  })

  it('begin where commands are asked about', () => {
    expect(firstEvent(events)).toBe('commands')
    expect(firstEvent([event('other')])).toBe('other')
    expect(firstEvent([])).toBe('')
  })

  it('say which of the usual ones a matcher takes', () => {
    expect(takenBy(commands, '--force')).toEqual(['git push --force origin main'])
    expect(takenBy(commands, '')).toHaveLength(2)
    expect(takenBy(commands, '(')).toBeUndefined()
  })

  it('make a sample about something', () => {
    expect(JSON.parse(sampleFor(commands, 'rm'))).toEqual({ command: 'rm', cwd: '/' })
    expect(sampleFor(events[0]!, 'rm')).toBe('{"a":1}')
  })
})

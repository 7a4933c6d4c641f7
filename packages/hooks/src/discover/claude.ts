// Claude settings: other names for events and tools, one more level of nesting, everything else the same.

import type { EventName } from '../protocol/events.js'
import { findEvent } from '../protocol/events.js'
import { translateClaudeMatcher } from './claude-matcher.js'
import { CLAUDE_EVENTS, findClaudeEvent } from './claude-names.js'
import { type Draft, toDraft } from './draft.js'
import { checkFields, isWhole, membersOf } from './fields.js'
import { ABSENT, FAILED, type Loaded, openDocument, sayBoth } from './file.js'
import { describe, type Json, type Member, quote, within } from './json.js'
import { nearest } from './nearest.js'
import type { Report } from './report.js'

export function loadClaudeSettings(file: string, report: Report): Loaded {
  const root = openDocument(file, report)
  if (root === 'absent') return ABSENT
  if (root === 'failed') return FAILED
  if (root.kind !== 'object') {
    const message = `The file holds ${describe(root)}, not an object.`
    report.error('config/not-object', { place: root.place, message, hint: 'Start with {}.' })
    return FAILED
  }
  const reader = new Reader(report)
  // Settings without hooks are the normal case, and their other keys are none of our business.
  for (const member of root.members) if (member.key === 'hooks') reader.readBlock(member)
  return { state: 'loaded', drafts: reader.drafts, dropped: reader.dropped }
}

const GROUP_FIELDS = { matcher: 'matcher' } as const
const HOOK_FIELDS = {
  type: 'type',
  command: 'command',
  prompt: 'prompt',
  model: 'model',
  timeout: 'timeout',
} as const

class Reader {
  readonly drafts: Draft[] = []
  dropped = 0
  private readonly seen = new Map<string, Member>()

  constructor(private readonly report: Report) {}

  readBlock({ value }: Member) {
    if (value.kind !== 'object') return this.drop('config/no-hooks', value, 'hooks', 'an object with events')
    for (const member of value.members) {
      const path = within('hooks', member.key)
      const earlier = this.seen.get(member.key)
      if (earlier) sayBoth(member, earlier, path, this.report)
      this.seen.set(member.key, member)
      const event = findClaudeEvent(member.key)
      if (!event) this.sayUnknownEvent(member, path)
      else if (member.value.kind !== 'array') this.drop('config/bad-event', member.value, path, 'an array')
      else
        for (const [index, group] of member.value.items.entries())
          this.readGroup(group, within(path, index), event)
    }
  }

  private readGroup(node: Json, path: string, event: EventName) {
    if (node.kind !== 'object') return this.drop('config/bad-entry', node, path, 'an object with "hooks"')
    const members = membersOf(node, path, this.report)
    const hooks = members.get('hooks')
    if (hooks?.value.kind !== 'array') {
      return this.drop('config/bad-entry', hooks?.value ?? node, path, 'an object with a list of "hooks"')
    }
    const fields = checkFields(members, GROUP_FIELDS, path, this.report)
    if (!fields) {
      this.dropped += Math.max(hooks.value.items.length, 1)
      return
    }
    const matcher = translateClaudeMatcher(event, fields.matcher)
    if (matcher.kind === 'invalid') {
      this.report.error('config/bad-matcher', {
        place: members.get('matcher')?.value.place,
        path: within(path, 'matcher'),
        message: `The matcher ${quote(matcher.text)} is not a valid regular expression: ${matcher.error}.`,
      })
    }
    const list = within(path, 'hooks')
    hooks.value.items.forEach((item, index) => {
      const draft = this.readHook(item, within(list, index), event, matcher)
      if (draft) this.drafts.push(draft)
    })
  }

  private readHook(node: Json, path: string, event: EventName, matcher: Draft['matcher']): Draft | undefined {
    if (node.kind !== 'object') return this.drop('config/bad-entry', node, path, 'an object')
    const members = membersOf(node, path, this.report)
    const fields = checkFields(members, HOOK_FIELDS, path, this.report)
    if (!fields || !isWhole(fields, node.place, path, this.report)) {
      this.dropped++
      return undefined
    }
    const command = members.get('command')
    const commandAt = command ? { place: command.value.place, path: within(path, 'command') } : undefined
    return toDraft(findEvent(event)!, fields, matcher, null, {
      place: node.place,
      path,
      commandAt: commandAt ?? { place: node.place, path },
    })
  }

  private drop(
    code: 'config/no-hooks' | 'config/bad-event' | 'config/bad-entry',
    node: Json,
    path: string,
    expected: string,
  ): undefined {
    this.dropped++
    this.report.error(code, {
      place: node.place,
      path,
      message: `${quote(path)} is ${describe(node)}; expected ${expected}.`,
      hint: 'Write "PreToolUse": [ { "matcher": "…", "hooks": [ { "type": "command", "command": "…" } ] } ].',
    })
    return undefined
  }

  private sayUnknownEvent(member: Member, path: string) {
    const meant = nearest(member.key, Object.keys(CLAUDE_EVENTS))
    this.report.warning('config/claude-event', {
      place: member.place,
      path,
      message: `The Claude event ${quote(member.key)} has no counterpart here, so its hooks are skipped.`,
      ...(meant ? { hint: `If you meant ${quote(meant)}, correct the name.` } : {}),
    })
  }
}

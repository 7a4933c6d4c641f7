// Hooks whose deny an agent would not obey. Installing them needs --accept-loss.

import type { Hooks } from '@holdfast/hooks'
import type { Bridge } from '@holdfast/hooks/bridges'
import { findEvent, type HookDefinition } from '@holdfast/hooks/protocol'

export interface Refused {
  readonly hook: HookDefinition
  readonly why: string
}

export const refusedBy = (bridge: Bridge, hooks: Hooks): Refused[] =>
  hooks.list().flatMap(({ hook }) => {
    const why = reason(bridge, hook)
    return why === undefined ? [] : [{ hook, why }]
  })

function reason(bridge: Bridge, hook: HookDefinition): string | undefined {
  const { gate, subject } = findEvent(hook.event)!
  if (gate === 'none') return undefined
  if (bridge.unenforced?.includes(hook.event)) {
    return Object.entries(bridge.limitations).find(([feature]) =>
      feature.split(', ').includes(hook.event),
    )?.[1]
  }
  const { matcher } = hook
  if (!('regex' in matcher) || !('field' in subject) || subject.field !== 'tool_name') return undefined
  const { examples } = subject
  // Only the event of every tool has tools as its subject and comes for each of them.
  const isGeneric = examples.includes('Shell')
  const name = bridge.plainMcpNames ? nameThatIsLost(matcher, isGeneric) : undefined
  if (name !== undefined) {
    return `${bridge.title} calls the MCP tool ${name} ${plain(name)}, which its matcher ${matcher.text} does not match.`
  }
  if (!isGeneric || !bridge.onlyTheseTools) return undefined
  const takes = (all: readonly string[]) => all.some(one => matcher.regex.test(one))
  const own = [...Object.values(bridge.names.tools).map(({ as }) => as), 'MCP:tool']
  if (/mcp/i.test(matcher.text) || takes(own) || !takes(examples)) return undefined
  return `${bridge.title} has no tool that its matcher ${matcher.text} matches. It uses commands instead.`
}

const plain = (name: string): string => name.replace(/\W/g, '_')

/** The name of an MCP tool that is in the pattern literally, and that the agent would report in another form. */
function nameThatIsLost({ text, regex }: { text: string; regex: RegExp }, isGeneric: boolean) {
  const prefix = isGeneric ? 'MCP:' : ''
  const names = text
    .split(/[|()^$]/)
    .filter(part => part.startsWith(prefix))
    .map(part => part.slice(prefix.length))
  return names.find(name => regex.test(prefix + name) && !regex.test(prefix + plain(name)))
}

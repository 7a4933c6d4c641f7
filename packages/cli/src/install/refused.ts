// Hooks whose deny an agent would not obey. They must not be installed without a word.

import { openHooks } from '@holdfast/hooks'
import type { Bridge } from '@holdfast/hooks/bridges'
import { findEvent, type HookDefinition } from '@holdfast/hooks/protocol'
import type { Workspace } from '../workspace.js'

export interface Refused {
  readonly hook: HookDefinition
  readonly why: string
}

export async function refusedBy(bridge: Bridge, workspace: Workspace): Promise<Refused[]> {
  const hooks = await openHooks(workspace.host)
  try {
    return hooks.list().flatMap(({ hook }) => {
      const why = reason(bridge, hook)
      return why === undefined ? [] : [{ hook, why }]
    })
  } finally {
    hooks.close()
  }
}

function reason(bridge: Bridge, hook: HookDefinition): string | undefined {
  const { gate, subject } = findEvent(hook.event)!
  if (gate === 'none') return undefined
  const loss = bridge.losses.find(
    ({ what, unenforced }) => unenforced && what.split(', ').includes(hook.event),
  )
  if (loss) return `${loss.lost} ${loss.instead}`
  // Only the event of every tool has tools as its subject and comes for each of them.
  const isGeneric = 'field' in subject && subject.field === 'tool_name' && subject.examples.includes('Shell')
  const { matcher } = hook
  if (!isGeneric || !bridge.onlyTheseTools || !('regex' in matcher)) return undefined
  const names = [...Object.values(bridge.names.tools).map(({ as }) => as), 'MCP:tool']
  if (/mcp/i.test(matcher.text) || names.some(name => matcher.regex.test(name))) return undefined
  return `${bridge.title} tells only of commands, patches and MCP calls, and its matcher ${matcher.text} takes none of them.`
}

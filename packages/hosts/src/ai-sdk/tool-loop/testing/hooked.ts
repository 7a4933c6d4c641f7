// A ToolLoopAgent with hooks in a place, on a script.

import { ToolLoopAgent } from 'ai'
import { type ScriptedLine, scriptedModel } from '../../agent/scripted-model.js'
import type { Place } from '../../agent/testing/place.js'
import { codingTools } from '../../tools/coding-tools.js'
import { type HookedOptions, withHooks } from '../with-hooks.js'

export const call = (name: string, input: unknown = {}): ScriptedLine => ({ calls: [{ tool: name, input }] })
export const shell = (command: string): ScriptedLine => call('Shell', { command })

export async function hookedIn(
  place: Place,
  script: readonly ScriptedLine[],
  settings: object = {},
  options: Partial<HookedOptions> = {},
) {
  const model = scriptedModel(script)
  const { workspace } = place
  const agent = new ToolLoopAgent({ model, tools: codingTools({ workspace }), ...settings })
  const hooks = options.hooks ?? (await place.open())
  return { agent: await withHooks(agent, { hooks, workspace, ...options }), model, hooks }
}

export type Hooked = Awaited<ReturnType<typeof hookedIn>>['agent']

// The settings of a tool-loop agent. The caller may pass them; a finished agent has them in a private field, which is
// read with care: an agent without hooks must not pass for one with them.

import type { OutputInterface, ToolLoopAgent, ToolLoopAgentSettings, ToolSet } from 'ai'

export type GivenAgent<O, T extends ToolSet, P extends OutputInterface> =
  | ToolLoopAgent<O, T, P>
  | ToolLoopAgentSettings<O, T, P>

/** Inside, the types of one specific agent do not matter. */
export type Settings = ToolLoopAgentSettings<never, ToolSet, OutputInterface>

export function settingsOf(given: object): Settings {
  const isAgent = 'generate' in given && 'stream' in given
  const settings: unknown = isAgent ? (given as { settings?: unknown }).settings : given
  if (typeof settings !== 'object' || settings === null || !('model' in settings)) {
    throw new TypeError(
      isAgent
        ? 'The settings of this agent cannot be read. Give withHooks the settings instead of the agent.'
        : 'withHooks takes a ToolLoopAgent, or the settings of one: they have a "model".',
    )
  }
  // The class itself extends nothing, in whichever copy of the SDK.
  if (isAgent && Object.getPrototypeOf(Object.getPrototypeOf(given)) !== Object.prototype) {
    throw new TypeError(
      'The agent is of a class that extends ToolLoopAgent, whose own methods would not be called. Give withHooks the settings instead of the agent.',
    )
  }
  return settings as Settings
}

// Changes of guards are accepted by the user, not by a script that an agent runs: agents mark the commands of their tools.

import { BRIDGES } from '@holdfast/hooks/bridges'
import { UsageError } from '../usage-error.js'

export function mustBeOutsideOfAgents(command: string): void {
  const variableOf = (bridge: (typeof BRIDGES)[number]) => bridge.config.toolVariable ?? ''
  const agent = BRIDGES.find(bridge => process.env[variableOf(bridge)])
  if (!agent) return
  throw new UsageError(
    `holdfast ${command} was started by ${agent.title} (${variableOf(agent)} is set), and an agent must not accept changes of its guards. Run it in a terminal of your own.`,
  )
}

// The standard tools of a coding agent. Their names are those that hooks know, so each has its row in the host's table.

import type { ToolSet } from 'ai'
import { deleteTool, readTool, writeTool } from './file-tools.js'
import { grepTool, lsTool } from './search-tools.js'
import { shellTool } from './shell.js'

export interface CodingToolsOptions {
  /** The folder that the tools may touch. */
  readonly workspace: string
  /** What commands inherit; the environment of this process when absent. */
  readonly env?: NodeJS.ProcessEnv
}

export const codingTools = ({ workspace, env = process.env }: CodingToolsOptions): ToolSet => ({
  Shell: shellTool(workspace, env),
  Read: readTool(workspace),
  Write: writeTool(workspace),
  Delete: deleteTool(workspace),
  Grep: grepTool(workspace),
  LS: lsTool(workspace),
})

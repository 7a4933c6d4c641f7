// The standard tools of a coding agent. Hooks know their names, so each has a row in the table of the host.

import type { ToolSet } from 'ai'
import { deleteTool, readTool, writeTool } from './file-tools.js'
import { grepTool, lsTool } from './search-tools.js'
import { shellTool } from './shell.js'

export interface CodingToolsOptions {
  /** The folder that the tools may access. */
  readonly workspace: string
  /** The environment of commands (default: that of this process). */
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

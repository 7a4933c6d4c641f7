// Formats the file that the agent or inline completion has just changed, with the formatter of the project. Only this
// file, only inside the workspace, with a time limit. Without a formatter it does nothing.

import { realpathSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { hook, isInsideWorkspace, runCommand, workspacePath } from '@holdfast/hooks/sdk'
import { formatterOf } from './formatters.js'

interface Edit {
  readonly workspace_roots: string[]
  readonly file_path: string
}

const SECONDS = Number(process.env.FORMAT_SECONDS) || 10
/** Not text of the project. */
const FOREIGN = /(?:^|\/)(?:node_modules|\.git|\.venv|venv|vendor)\//

async function format(edit: Edit): Promise<undefined> {
  const { workspace_roots, file_path } = edit
  // A link that leads out of the workspace belongs to somebody else.
  if (!isInsideWorkspace(edit, file_path)) return
  const file = realFile(resolve(workspace_roots[0] ?? '.', file_path))
  const root = workspace_roots.map(realFolder).find(root => file?.startsWith(root + sep))
  if (!file || !root || FOREIGN.test(workspacePath(edit, file))) return
  const formatter = formatterOf(file, root)
  if (!formatter) return
  const { command, args } = formatter
  const result = await runCommand(command, args, { cwd: dirname(file), timeoutMs: SECONDS * 1000 })
  if (result.code === 0) return
  const why = result.timedOut ? `took longer than ${SECONDS} s` : (result.error ?? lastLine(result.stderr))
  console.error(`${command} did not format ${workspacePath(edit, file)}: ${why}`)
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.slice(0, 200) || 'no reason given'

function realFile(path: string): string | undefined {
  try {
    const file = realpathSync(path)
    return statSync(file).isFile() ? file : undefined
  } catch {
    // The file no longer exists.
    return undefined
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

export default hook({ afterFileEdit: format, afterTabFileEdit: format }, { onError: 'allow' })

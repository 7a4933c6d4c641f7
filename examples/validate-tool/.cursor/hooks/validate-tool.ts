// One gate for all tools that touch files: they stay in the workspace, and do not touch what protects it.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  ask,
  deny,
  filePathOf,
  hook,
  isInsideWorkspace,
  type Payload,
  workspacePath,
} from '@holdfast/hooks/sdk'

/** No tool may write here: an agent that can change the hooks has none. */
const PROTECTED = [/^\.cursor\/hooks(?:\.json$|\/)/i, /(?:^|\/)\.git(?:\/|$)/i]
const HOOKS = ['.cursor/hooks', '.cursor/hooks.json']
/** Web tools store what they fetched here, through calls of Write that no user requested. */
const OWN = join(homedir(), '.cursor', 'projects')

type Call = Payload<'preToolUse'>

export default hook({
  preToolUse: payload => {
    const { tool_name: tool, tool_input: input } = payload
    if (tool === 'Shell') return shell(payload, input.working_directory ?? input.cwd ?? payload.cwd)
    const path = filePathOf(payload)
    if (path === undefined || path.includes('\0'))
      return deny(`${tool} was stopped: it does not say which file.`, {
        agent: 'Name the file in file_path.',
      })
    const place = workspacePath(payload, path)
    return tool === 'Read' ? read(payload, path, place) : write(payload, path, place)
  },
})

function shell(payload: Call, folder: unknown) {
  if (folder === undefined || folder === '') return
  if (typeof folder !== 'string') return deny('Shell was stopped: its folder cannot be read.')
  if (!isInsideWorkspace(payload, folder)) return ask(`Run a command in ${folder}, outside of the workspace?`)
}

function read(payload: Call, path: string, place: string) {
  if (isInsideWorkspace(payload, path) || isOwn(place)) return
  return ask(`Read ${place}, outside of the workspace?`)
}

function write(payload: Call, path: string, place: string) {
  const what = payload.tool_name === 'Delete' ? 'Deleting' : 'Writing'
  if (!isInsideWorkspace(payload, path) && !isOwn(place)) {
    return deny(`${what} ${place} was stopped: it is outside of the workspace.`, {
      agent: 'Keep to files of the workspace. If it must be there, give the user the content and the path.',
    })
  }
  if (PROTECTED.some(pattern => pattern.test(place)) || isHook(payload, path)) {
    return deny(`${what} ${place} was stopped: hooks and the repository itself are not for tools.`, {
      agent: 'Do not change hooks or .git. Describe to the user what you would change there, and why.',
    })
  }
}

/** The folder of the hooks may be a link, or inside the folder to delete. */
function isHook({ workspace_roots, cwd, tool_name }: Call, path: string): boolean {
  const from = { cwd: cwd || workspace_roots[0] || '' }
  const hooks = workspace_roots.flatMap(root => HOOKS.map(name => join(root, name)))
  if (isInsideWorkspace({ ...from, workspace_roots: hooks }, path)) return true
  const folder = resolve(from.cwd, path)
  return tool_name === 'Delete' && hooks.some(hook => isInsideWorkspace({ workspace_roots: [folder] }, hook))
}

/** The path is absolute: it lies outside of the workspace. */
const isOwn = (place: string) => isInsideWorkspace({ workspace_roots: [OWN] }, place)

// One gate for all tools that touch files: they stay in the workspace, and leave alone what guards it.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { ask, deny, hook, isInsideWorkspace, type Payload, workspacePath } from '@holdfast/hooks/sdk'

/** Nobody's tools write here: who can change the hooks has none. */
const PROTECTED = [/^\.cursor\/hooks(?:\.json$|\/)/i, /(?:^|\/)\.git(?:\/|$)/i]
const HOOKS = ['.cursor/hooks', '.cursor/hooks.json']
/** Web tools keep here what they fetched, with calls of Write that nobody asked for. */
const OWN = join(homedir(), '.cursor', 'projects')

type Call = Payload<'preToolUse'>

export default hook({
  preToolUse: payload => {
    const { tool_name: tool, tool_input: input } = payload
    if (tool === 'Shell') return shell(payload, input.working_directory ?? input.cwd ?? payload.cwd)
    const path = input.file_path ?? input.path ?? input.target_file
    if (typeof path !== 'string' || path === '' || path.includes('\0'))
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
      agent:
        'Keep to files of the workspace. If it must be there, give the person the content and the place.',
    })
  }
  if (PROTECTED.some(pattern => pattern.test(place)) || isHook(payload, path)) {
    return deny(`${what} ${place} was stopped: hooks and the repository itself are not for tools.`, {
      agent: 'Do not change hooks or .git. Tell the person what you would change there, and why.',
    })
  }
}

/** The folder of the hooks may be a link, or lie in the one that is to go. */
function isHook({ workspace_roots, cwd, tool_name }: Call, path: string): boolean {
  const from = { cwd: cwd || workspace_roots[0] || '' }
  const hooks = workspace_roots.flatMap(root => HOOKS.map(name => join(root, name)))
  if (isInsideWorkspace({ ...from, workspace_roots: hooks }, path)) return true
  const folder = resolve(from.cwd, path)
  return tool_name === 'Delete' && hooks.some(hook => isInsideWorkspace({ workspace_roots: [folder] }, hook))
}

/** The place is absolute: it lies outside of the workspace. */
const isOwn = (place: string) => isInsideWorkspace({ workspace_roots: [OWN] }, place)

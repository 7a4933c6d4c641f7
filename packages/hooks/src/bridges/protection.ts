// Hook files protect themselves: a tool call that would change them, or accept such a change, asks the user first.

import { resolve } from 'node:path'
import type { Hooks } from '../index.js'
import type { Catalog } from '../protocol/config.js'
import { CommandReader } from './protected-commands.js'
import { type ProtectedPath, ProtectedPaths } from './protected-paths.js'
import { type AgentEvent, type Bridge, isObject, type Json, type ToolRow, textOrEmpty } from './types.js'

const NAME = 'built in: hook files'

/** Registers a hook that asks, if this call touches a protected file. Other calls get no further hook. */
export function protectHookFiles(
  hooks: Hooks,
  bridge: Bridge,
  event: AgentEvent,
  wasProtected = false,
): void {
  const catalog = hooks.catalog()
  if (event.kind !== 'tool' || !event.tool || isReader(event.tool)) return
  if (!(wasProtected || protectsHookFiles(catalog))) return
  const { layers } = catalog
  const { cwd } = event.conversation
  const roots = layers.flatMap(({ source }) => source.root ?? [])
  const folders = [...new Set([cwd, ...roots])].filter(folder => folder !== '')
  const reason = reasonOf(event, new ProtectedPaths(hooks, bridge, folders, hooks.host.home), folders)
  if (reason === undefined) return
  const specific = event.steps.find(step => /^before(?:Shell|MCP)Execution$/.test(step.event))?.event
  hooks.register({
    event: (specific ?? 'preToolUse') as 'preToolUse',
    source: 'enterprise',
    name: NAME,
    failClosed: true,
    run: () => ({
      permission: 'ask' as const,
      user_message: `${reason} ${FOR_USER}`,
      agent_message: `${reason} ${FOR_AGENT}`,
    }),
  })
}

/** While there are hooks, unless the user or the enterprise turned it off. */
export function protectsHookFiles({ layers, missing }: Catalog): boolean {
  const hasHooks = layers.some(layer => layer.hooks.length > 0 || /failed|kept/.test(layer.state))
  if (!hasHooks && missing.length === 0) return false
  return layers.find(layer => layer.protectHookFiles !== undefined)?.protectHookFiles !== false
}

const FOR_USER =
  'Hook files are protected, because a change can turn hooks off. To change hooks, edit the files outside of the agent and run "holdfast trust". To end this protection, set "protect_hook_files": false in ~/.cursor/hooks.json.'
const FOR_AGENT =
  'Hook files are protected. Do not try another way: the user can make this change outside of the agent.'

const changes = ({ path, why }: ProtectedPath): string => `This would change ${path}, which is ${why}.`

const READ_TOOL =
  /(?:^|[_\-.])(?:read|get|list|search|find|view|show|stat|info|grep|glob|fetch|tree|head|tail|diff|log|status|query|describe)(?=[_\-.A-Z]|$)/
const WRITE_TOOL =
  /write|edit|create|delete|remove|move|rename|copy|patch|replace|insert|append|update|save|upload|exec|run|shell/i
const CODE_KEY = /^(?:command|cmd|script|code)$/
/** Keys of texts that are not paths. */
const TEXT_KEY =
  /^(?:content|contents|text|file_text|old_string|new_string|old_str|new_str|message|prompt|query|pattern|description|title|body)$/
const READ_DEEDS: ReadonlySet<string | undefined> = new Set(['read', 'files', 'task', 'resource'])
const READ_ROWS: ReadonlySet<string> = new Set(['Read', 'Grep', 'LS', 'WebFetch', 'WebSearch', 'Task'])
const PATCHED = /^\s*\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$|^(?:---|\+\+\+) (?:[ab]\/)?(\S+)/gm

/** Decided before the protected files are looked for, which takes milliseconds. */
const isReader = ({ as, does }: ToolRow): boolean => READ_DEEDS.has(does) || READ_ROWS.has(as)

function reasonOf(
  { tool, input, steps }: AgentEvent,
  paths: ProtectedPaths,
  folders: readonly string[],
): string | undefined {
  const { as, does } = tool!
  const ofPatch = (text: string) => {
    for (const [, named, compared] of text.matchAll(PATCHED))
      for (const folder of folders) {
        const found = paths.find((named ?? compared)!.trim(), folder)
        if (found) return changes(found)
      }
    return undefined
  }
  const ofCommand = (command: string, folder: string) =>
    ofPatch(command) ?? new CommandReader(paths, [...new Set([folder, ...folders])], changes).judge(command)
  if (does === 'shell') return ofCommand(textOrEmpty(input.command), folderOf(input, folders[0] ?? '/'))
  if (does === 'patch') return ofPatch(textOrEmpty(input.command))
  const isMcp = steps.some(step => step.event === 'beforeMCPExecution')
  const tail = isMcp ? as.split('__').at(-1)! : as
  const isKnown = does === 'write' || does === 'edit'
  if (!isKnown && READ_TOOL.test(tail) && !WRITE_TOOL.test(tail.replace(READ_TOOL, ''))) return undefined
  const isDestructive = /delete|remove|move|rename/i.test(tail)
  const texts = [...textsOf(input)]
  // A folder and a name may be two arguments.
  const given = texts.filter(([key]) => FOLDER_KEY.test(key)).slice(0, MOST_FOLDERS)
  const places = new Set([
    ...folders,
    ...given.flatMap(([, text]) => folders.map(folder => resolve(folder, text))),
  ])
  for (const [key, text] of texts) {
    if (TEXT_KEY.test(key) && (isKnown || !/^\*\*\* /m.test(text))) continue
    if (isKnown && !/path|file/i.test(key)) continue
    const reason = CODE_KEY.test(key) ? ofCommand(text, folderOf(input, folders[0] ?? '/')) : ofPatch(text)
    if (reason !== undefined) return reason
    for (const folder of places) {
      const found = paths.find(text, folder) ?? (isDestructive ? paths.findBelow(text, folder) : undefined)
      if (found) return changes(found)
    }
  }
  return undefined
}

/** Versions of agents name the folder of a command differently. */
const FOLDER_KEY = /dir|folder|parent|base|root|cwd/i
const MOST_FOLDERS = 8
const FOLDER_KEYS = ['cwd', 'workdir', 'directory', 'dir_path', 'working_directory']

const folderOf = (input: Json, cwd: string): string => {
  const given = FOLDER_KEYS.map(key => textOrEmpty(input[key])).find(text => text !== '') ?? ''
  return given.startsWith('/') ? given : given === '' ? cwd : `${cwd}/${given}`
}

/** Every text of the input, with its key. */
function* textsOf(value: unknown, key = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [key, value]
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, key)
  else if (isObject(value)) for (const [name, item] of Object.entries(value)) yield* textsOf(item, name)
}

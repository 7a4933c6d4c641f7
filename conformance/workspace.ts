// Writes a case to disk: the files of its sources, and one script per hook that prints the recorded bytes.

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Case, CaseHook, SourceName } from './case.js'
import type { Places } from './compare.js'
import { configText, scriptName } from './files.js'
import { eventOf } from './load.js'
import { errFile, outFile, recordingOf, scriptText } from './script.js'

export interface Workspace {
  readonly places: Places
  /** The recordings of hook n: `in`, `env`, `cwd`. */
  recording(name: string | number): string
  change(): void
  close(): void
}

/** Events that a denial may raise; each has a hook if the case is enforced. */
export const FOLLOWERS = [
  'postToolUseFailure',
  'postToolUse',
  'afterShellExecution',
  'afterMCPExecution',
  'afterFileEdit',
]

export function writeWorkspace(one: Case): Workspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'conformance-')))
  const places: Places = {
    enterprise: join(base, 'enterprise'),
    home: join(base, 'home'),
    team: join(base, 'home/.cursor/managed/team_t1/hooks'),
    project: join(base, 'one'),
    second: join(base, 'two'),
    plugin: join(base, 'plugin'),
  }
  for (const name of ['enterprise', 'home', 'project', 'second'] as const) {
    mkdirSync(places[name]!, { recursive: true })
  }
  const recording = (name: string | number) => join(base, 'recordings', String(name))
  one.hooks.forEach((hook, at) => {
    if (hook.type === 'prompt') return
    mkdirSync(recording(at), { recursive: true })
    for (const [nth, exit] of [hook.exit ?? {}, ...(hook.again ?? [])].entries()) {
      const { out, err } = recordingOf(exit)
      writeFileSync(join(recording(at), outFile(nth)), out)
      writeFileSync(join(recording(at), errFile(nth)), err)
    }
    if (hook.exit?.not_found || (hook.command !== undefined && hook.script === undefined)) return
    const path = join(folderOf(hook, places), scriptName(hook, at))
    write(path, scriptText(one, hook, at, recording(at)))
    chmodSync(path, hook.exit?.not_executable ? 0o644 : 0o755)
  })
  const files = filesOf(one, places, recording)
  for (const [path, text] of files) write(path, text)
  const { change } = one
  const target = change ? pathOf(change.source, 0, places) : ''
  if (change?.how === 'create') rmSync(target)
  if (change?.how === 'save' || change?.how === 'replace') write(target, '{"version":1,"hooks":{}}')
  return {
    places,
    recording,
    change() {
      if (!change) return
      const text = files.get(target)!
      if (change.how === 'delete') rmSync(target)
      else if (change.how === 'rename') renameSync(target, `${target}.off`)
      else if (change.how === 'break') write(target, '{ "version": 1, "hooks": ')
      else if (change.how === 'replace') {
        write(`${target}.new`, text)
        renameSync(`${target}.new`, target)
      } else write(target, text)
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  }
}

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** The base folder for the paths of a source, by the current rules. */
function folderOf(hook: CaseHook, places: Places): string {
  if (hook.source === 'enterprise') return places.enterprise!
  if (hook.source === 'team') return places.team!
  if (hook.source === 'user') return join(places.home!, '.cursor')
  if (hook.source === 'plugin') return places.plugin!
  return hook.root === 1 ? places.second! : places.project!
}

function pathOf(source: SourceName, root: number, places: Places): string {
  const project = root === 1 ? places.second! : places.project!
  const paths: Readonly<Record<SourceName, string>> = {
    enterprise: join(places.enterprise!, 'hooks.json'),
    team: join(places.team!, 'manifest.json'),
    project: join(project, '.cursor/hooks.json'),
    user: join(places.home!, '.cursor/hooks.json'),
    'claude-local': join(project, '.claude/settings.local.json'),
    'claude-project': join(project, '.claude/settings.json'),
    'claude-user': join(places.home!, '.claude/settings.json'),
    plugin: join(places.plugin!, 'hooks/hooks.json'),
  }
  return paths[source]
}

/** All configuration files of the case, by path. */
function filesOf(one: Case, places: Places, recording: Workspace['recording']): Map<string, string> {
  const groups = new Map<string, { source: SourceName; hooks: { hook: CaseHook; at: number }[] }>()
  const group = (source: SourceName, root: number) => {
    const path = pathOf(source, root, places)
    const found = groups.get(path) ?? { source, hooks: [] }
    groups.set(path, found)
    return found.hooks
  }
  one.hooks.forEach((hook, at) => {
    group(hook.source, hook.root ?? 0).push({ hook, at })
  })
  for (const source of Object.keys(one.config ?? {})) group(source as SourceName, 0)
  const listeners = one.expect.guard ? FOLLOWERS.filter(event => event !== one.event) : []
  if (listeners.length > 0) group('user', 0)
  const listen = (event: string) => {
    mkdirSync(recording(event), { recursive: true })
    return { command: `cat > '${join(recording(event), 'in')}'` }
  }
  return new Map(
    [...groups].map(([path, { source, hooks }]) => {
      const extra = source === 'user' ? listeners.map(event => [event, listen(event)] as const) : []
      const own = hooks.map(({ hook, at }) => ({ hook, at, event: eventOf(hook, one) }))
      return [path, configText(one, source, own, extra)]
    }),
  )
}

// What people get wrong in commands, seen before the hook runs for the first time. None of it drops an entry:
// the file on disk may be right tomorrow, and the run will say what happened.

import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import type { HookDefinition, Source } from '../protocol/config.js'
import { warnOfCamelCase } from './answers.js'
import type { Draft } from './draft.js'
import type { LocatedScript, Surroundings } from './hook.js'
import { quote } from './json.js'
import type { Report } from './report.js'
import type { NamedScript } from './scripts.js'
import { statOf } from './stamps.js'
import { shellWord } from './words.js'

export function checkCommand(
  draft: Draft,
  hook: HookDefinition,
  scripts: readonly LocatedScript[],
  source: Source,
  around: Surroundings,
  report: Report,
): void {
  if (draft.command === undefined) return
  for (const script of scripts) {
    if (script.named.certain) checkScript(script, draft, source, around, report)
  }
  if (isShared(source)) checkPersonal(draft.command, draft, source, report)
  if (around.options.inspectScripts) warnOfCamelCase(hook, report)
}

function checkScript(
  { named, file }: LocatedScript,
  draft: Draft,
  source: Source,
  around: Surroundings,
  report: Report,
): void {
  const isBare = named.role === 'program' && !/[/\\]/.test(named.word)
  if (isBare) checkBareName(named, draft, around, report)
  else if (!file.exists) sayMissing(named, draft, source, around, report)
  else if (named.role === 'program' && !file.isExecutable && around.options.platform !== 'win32') {
    report.error('config/script-not-executable', {
      ...draft.commandAt,
      message: `${quote(named.word)} has no execute bit, so it cannot be started.`,
      hint: `Run: chmod +x ${shellWord(file.path)}`,
    })
  }
}

/** `guard.sh` without a folder is looked up in PATH, like any program. */
function checkBareName(named: NamedScript, draft: Draft, { options }: Surroundings, report: Report): void {
  const folders = (options.env.PATH ?? '').split(options.platform === 'win32' ? ';' : ':')
  if (folders.some(folder => isAbsolute(folder) && isFile(join(folder, named.word)))) return
  report.error('config/script-missing', {
    ...draft.commandAt,
    message: `${quote(named.word)} is not in PATH, and a name without a folder is looked up only there.`,
    hint: isFile(named.path) ? `Write ./${named.word}.` : 'Write the path of the script.',
  })
}

function sayMissing(
  named: NamedScript,
  draft: Draft,
  source: Source,
  around: Surroundings,
  report: Report,
): void {
  const beside = join(dirname(source.file), named.word)
  const isRelative = !isAbsolute(named.word)
  const root = source.root
  if (source.kind === 'project' && root !== undefined && isRelative && around.lookAt(beside, false).exists) {
    const right = relative(source.cwd, beside).split(sep).join('/')
    report.error('config/path-base', {
      ...draft.commandAt,
      message: `${quote(named.word)} is found from the folder of hooks.json, but project hooks run from the project root.`,
      hint: `Write ${right}.`,
    })
    return
  }
  const folder = statOf(named.path)?.isDirectory()
  report.error('config/script-missing', {
    ...draft.commandAt,
    message: folder
      ? `${quote(named.word)} is a folder, not a script.`
      : `${quote(named.word)} does not exist.`,
    ...(isRelative ? { hint: `Create it, or correct the path; it starts at ${source.cwd}.` } : {}),
  })
}

/** Files that colleagues get through the repository. */
const isShared = (source: Source) => source.kind === 'project' || source.kind === 'claude-project'

/** As written: what comes from ~ or a variable is everyone's own. */
const PERSONAL =
  /(?<=^|[\s"'=:(])(?:\/(?:Users|home)\/[^/\s"']+|[A-Za-z]:[\\/]+Users[\\/]+[^\\/\s"']+)[\\/][^\s"']*/gi

function checkPersonal(command: string, draft: Draft, { root }: Source, report: Report): void {
  for (const { 0: path, index } of command.matchAll(PERSONAL)) {
    if (root !== undefined && command.startsWith(root, index)) continue
    report.warning('config/personal-path', {
      ...draft.commandAt,
      message: `${quote(path)} lies in the folder of one person; it will not exist for others.`,
    })
    return
  }
}

const isFile = (path: string) => statOf(path)?.isFile() ?? false

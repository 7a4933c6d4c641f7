// Deleting, overwriting and opening up files outside of the workspace, and the workspace as a whole.

import { UNKNOWN_LIST, type Word } from '../call.js'
import { type Finding, finding, type Rule, type Subject } from '../finding.js'
import { outputsOf } from '../outputs.js'
import { absolute, type Zone } from '../paths.js'
import { patternOf } from '../patterns.js'

const ZONES: Readonly<Record<Zone, string | undefined>> = {
  root: 'the whole file system',
  system: 'a system folder',
  home: 'a home folder',
  parent: 'a folder that contains the workspace',
  workspace: 'the whole workspace',
  outside: 'a folder outside of the workspace',
  unknown: 'a path that is not known before it runs',
  inside: undefined,
  temporary: undefined,
}

const isGit = (word: Word): boolean =>
  /(?:^|\/)[\w-]*\.git(?:\/?|\/\*|\/(?:objects|refs|logs|worktrees|config|HEAD|packed-refs|\{[^/]*\})(?:\/.*)?)$/.test(
    word.text,
  ) || matchesGit(word)

/** Such as `.*` and `.[!.]*`. */
function matchesGit({ text, isQuoted }: Word): boolean {
  const last = text.slice(text.lastIndexOf('/') + 1)
  return !isQuoted && /^\..*[*?[]/.test(last) && patternOf(last)?.test('.git') === true
}

/** The part of a path after the home folder of the user. */
const inHome = ({ call, paths }: Subject, { text }: Word): string | undefined => {
  const path = absolute(text, call.cwd, paths)
  return path?.startsWith(`${paths.home}/`) ? path.slice(paths.home.length) : undefined
}

const deletion = (subject: Subject, targets: readonly Word[]): Finding | undefined => {
  for (const target of targets) {
    if (isGit(target)) return finding('files/delete-git', 'It deletes the history of the repository.')
    const zone = subject.zone(target)
    const what = ZONES[zone]
    const isDeepInHome = zone === 'outside' && /^\/[^/]+\/[^/*]/.test(inHome(subject, target) ?? '')
    if (what)
      return finding(
        'files/delete-tree',
        `It deletes ${what}.`,
        (zone === 'unknown' && !target.text.includes(UNKNOWN_LIST)) || isDeepInHome ? 'ask' : 'deny',
      )
  }
  return undefined
}

/** Below these folders are files of services and users, which are changed on purpose more often than by mistake. */
const SERVED = /^\/(?:opt|srv|var|mnt|media|run|snap|usr\/local|Volumes)\/[^/*?]+\/?[^*?]/

const severity = ({ call, paths }: Subject, { text }: Word): 'ask' | 'deny' =>
  SERVED.test(absolute(text, call.cwd, paths) ?? text) ? 'ask' : 'deny'

const overwritten = (
  subject: Subject,
  targets: readonly Word[],
  verb = 'overwrites',
): Finding | undefined => {
  for (const target of targets) {
    const zone = subject.zone(target)
    if (zone === 'root' || zone === 'system')
      return finding('files/overwrite-system', `It ${verb} ${ZONES[zone]}.`, severity(subject, target))
    const path = absolute(target.text, subject.call.cwd, subject.paths) ?? target.text
    if (/(?:^|\/)\.(?:ssh|gnupg)\/|\/\.(?:bashrc|bash_profile|profile|zshrc|zprofile|zshenv)$/.test(path))
      return finding('files/overwrite-home', `It ${verb} settings of the user.`, 'ask')
    if (/(?:^|\/)\.git\/(?:config|HEAD|packed-refs|hooks\/.+|refs\/.+|objects\/.+|logs\/.+)$/.test(path))
      return finding('files/overwrite-git', `It ${verb} a file of the repository's history.`)
  }
  return undefined
}

const rm: Rule = subject => {
  if (!/^(?:rm|grm|unlink|shred|srm|trash|rimraf|del|erase|rd|remove-item|ri|rmdir)$/.test(subject.name))
    return undefined
  if (subject.name === 'rmdir' && !subject.texts.some(text => /^\/s$/i.test(text))) return undefined
  if (subject.name === 'trash') return undefined
  if (subject.has('', 'help', 'version')) return undefined
  const targets = subject.operands.filter(({ text }) => !/^\/[sqfa]$/i.test(text))
  const isTree =
    subject.has('rR', 'recursive') ||
    subject.name === 'rimraf' ||
    subject.texts.some(text => /^\/s$/i.test(text) || /^-(?:recurse|r|rec\w*)$/i.test(text))
  if (subject.has('', 'no-preserve-root'))
    return finding('files/delete-tree', 'It deletes the entire file system.')
  if (isTree) return deletion(subject, targets)
  for (const target of targets) {
    const zone = subject.zone(target)
    if (
      zone === 'root' ||
      (zone === 'system' && !/^\/(?:var\/log|var\/cache|var\/tmp|run)\//.test(target.text))
    )
      return finding('files/delete-system', `It deletes files of ${ZONES[zone]}.`, severity(subject, target))
    if (isGit(target) && target.text !== '.git/index.lock' && !/\.lock$/.test(target.text))
      return finding('files/delete-git', 'It deletes the history of the repository.')
    if (zone === 'home' || (zone === 'workspace' && subject.has('f', 'force')))
      return finding(
        'files/delete-tree',
        `It deletes all files of ${ZONES[zone]}.`,
        zone === 'home' ? 'deny' : 'ask',
      )
  }
  if (subject.name === 'shred' && targets.some(target => subject.zone(target) !== 'temporary'))
    return finding('files/shred', 'It makes files unrecoverable.', 'ask')
  return undefined
}

const DELETES = /^(?:\S*\/)?(?:rm|unlink|shred)$/
const EXECUTES = /^(?:-exec(?:dir)?|-x|-X|--exec(?:-batch)?)$/
const find: Rule = subject => {
  if (!/^(?:find|fd|fdfind)$/.test(subject.name)) return undefined
  const roots: Word[] = []
  for (const word of subject.call.args) {
    if (/^-[HLPDO]/.test(word.text)) continue
    if (/^[-(!]/.test(word.text)) break
    roots.push(word)
  }
  // Words of a program that find starts are not options of find.
  const own = subject.texts
    .join('\u0001')
    .replace(/\u0001-(?:exec|ok)(?:dir)?\u0001.*?\u0001[;+](?=\u0001|$)/gs, '')
    .split('\u0001')
  const isProgram = !own.includes('-delete')
  if (
    isProgram &&
    !subject.texts.some((text, index) => DELETES.test(text) && EXECUTES.test(subject.texts[index - 1] ?? ''))
  )
    return undefined
  const isNarrow = subject.texts.some(text =>
    /^-(?:i?name|i?path|i?regex|mtime|mmin|size|empty|newer|maxdepth|e|g)$/.test(text),
  )
  for (const root of roots.length > 0 ? roots : [{ text: '.', isKnown: true }]) {
    const zone = subject.zone(root)
    if (isNarrow && (zone === 'workspace' || zone === 'inside' || zone === 'temporary' || zone === 'outside'))
      continue
    if (ZONES[zone])
      return finding(
        'files/delete-tree',
        `find deletes ${ZONES[zone]}.`,
        zone === 'unknown' || (isProgram && zone === 'workspace')
          ? 'ask'
          : isNarrow
            ? severity(subject, root)
            : 'deny',
      )
  }
  return isNarrow
    ? undefined
    : roots.some(root => subject.zone(root) !== 'temporary') || roots.length === 0
      ? finding('files/delete-tree', 'find deletes everything that it finds.', isProgram ? 'ask' : 'deny')
      : undefined
}

const permissions: Rule = subject => {
  if (!/^(?:chmod|chown|chgrp|chattr|setfacl|icacls|takeown)$/.test(subject.name)) return undefined
  const isTree = subject.has('R', 'recursive')
  const [mode, ...rest] = subject.operands
  const targets =
    subject.has('', 'reference') || /^(?:setfacl|icacls|takeown)$/.test(subject.name)
      ? subject.operands
      : rest
  for (const target of targets) {
    const zone = subject.zone(target)
    if (zone === 'root' || zone === 'system' || (isTree && (zone === 'home' || zone === 'parent')))
      return finding(
        'files/permissions',
        `It changes permissions of ${ZONES[zone]}.`,
        severity(subject, target),
      )
  }
  if (subject.name === 'chmod' && isTree && /^(?:0?777|a\+rwx|a=rwx|ugo\+rwx|\+rwx)$/.test(mode?.text ?? ''))
    return finding('files/permissions', 'It makes all files writable for every user.', 'ask')
  return undefined
}

const COPIES = /^(?:cp|mv|install|rsync|ln|scp|move|copy|move-item|copy-item)$/
const writes: Rule = subject => {
  const { name, operands } = subject
  for (const { operator, target } of subject.call.redirects) {
    if (!/>/.test(operator) || /^(?:\d+|-)$/.test(target.text)) continue
    const found = overwritten(subject, [target])
    if (found) return found
  }
  if (name === 'tee' || name === 'truncate' || name === 'sponge') {
    const found = overwritten(subject, operands)
    if (found) return found
    if (
      name === 'truncate' &&
      operands.some(target => subject.zone(target) !== 'temporary') &&
      /^(?:0|-s0)$/.test(subject.texts.join(' ').match(/(?:-s\s*|--size[= ])(\S+)/)?.[1] ?? '')
    )
      return finding('files/truncate', 'It empties a file.', 'ask')
    return undefined
  }
  const made = overwritten(subject, outputsOf(subject.call))
  if (made) return made
  if (name === 'sed' || name === 'perl')
    return subject.has('i', 'in-place') ? overwritten(subject, operands.slice(1)) : undefined
  if (
    (name === 'tar' && subject.has('', 'remove-files')) ||
    (name === 'zip' && subject.has('m', 'move')) ||
    (/^7z[arz]?$/.test(name) && subject.texts.includes('-sdel'))
  )
    return deletion(subject, operands.slice(1))
  if (!COPIES.test(name)) return undefined
  const target = operands.at(-1)
  if (name === 'mv') {
    if (target?.text === '/dev/null') return finding('files/delete-tree', 'Moving to /dev/null deletes.')
    for (const source of operands.slice(0, -1)) {
      const zone = subject.zone(source)
      if (/^(?:root|system|home|parent|workspace)$/.test(zone) || isGit(source))
        return finding(
          'files/move-tree',
          `It moves ${ZONES[zone] ?? 'the history of the repository'}.`,
          zone === 'system' ? severity(subject, source) : 'deny',
        )
    }
  }
  const named = subject.texts.find(
    (text, index) =>
      /^(?:-t|--target-directory)$/.test(subject.texts[index - 1] ?? '') || /^--target-directory=/.test(text),
  )
  const targets = named
    ? [{ text: named.replace(/^--target-directory=/, ''), isKnown: true }]
    : target
      ? [target]
      : []
  if (named && name === 'mv') {
    const found = operands
      .map(word => subject.zone(word))
      .find(zone => zone === 'root' || zone === 'system' || zone === 'home')
    if (found) return finding('files/move-tree', `It moves ${ZONES[found]}.`)
  }
  if (subject.has('n', 'dry-run', 'list-only') && name === 'rsync') return undefined
  if (name === 'rsync' && subject.texts.some(text => /^--(?:delete\S*|del|remove-source-files)$/.test(text)))
    return (
      deletion(subject, targets) ??
      (targets.every(target => subject.zone(target) === 'temporary')
        ? undefined
        : finding('files/sync-delete', 'rsync deletes files in its target.', 'ask'))
    )
  return operands.length > 1 ? overwritten(subject, targets) : undefined
}

export const FILES: readonly Rule[] = [rm, find, permissions, writes]
